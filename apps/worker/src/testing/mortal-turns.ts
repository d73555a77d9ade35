import type { TurnStore } from "@talaria/store";

/**
 * How a worker ends at one of its writes, counted from 1: it dies `before` the database has the write, or `after` it and never
 * learns it, or it falls `asleep`, loses its lease to another, and tries to write when it wakes up.
 */
export interface Death {
  readonly at: number;
  readonly when: "before" | "after" | "asleep";
}

class Killed extends Error {}

/** The life of one worker: nothing that it does after its death reaches anybody. */
export class Life {
  readonly #death: Death | undefined;
  readonly #lapse: () => Promise<void>;
  writes = 0;
  /** The numbers of the writes that shortened the conversation. */
  readonly shortenedAt: number[] = [];
  isDead = false;
  hasLapsed = false;

  /** `lapse` resolves when another worker has done everything that there was to do. */
  constructor(death: Death | undefined, lapse: () => Promise<void>) {
    this.#death = death;
    this.#lapse = lapse;
  }

  /** Throws when it is dead. */
  check(): void {
    if (this.isDead) throw new Killed("this worker is dead");
  }

  /** The same store, as far as this life lasts. */
  turns(turns: TurnStore): TurnStore {
    const write =
      <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      (...given: Given) =>
        this.#write(() => work(...given));
    const rest =
      <Given extends readonly unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
      async (...given: Given) => {
        this.check();
        return await work(...given);
      };
    return {
      claim: write(turns.claim),
      begin: write(turns.begin),
      keepTools: write(turns.keepTools),
      keepFacts: write(turns.keepFacts),
      append: async (...given) => {
        const [, , entries] = given;
        if (entries.some(isMade)) this.shortenedAt.push(this.writes + 1);
        return await this.#write(() => turns.append(...given));
      },
      written: rest(turns.written),
      say: write(turns.say),
      steer: write(turns.steer) as TurnStore["steer"],
      suspend: write(turns.suspend),
      commit: write(turns.commit),
      drop: write(turns.drop),
      release: write(turns.release),
      handOver: write(turns.handOver),
      fail: rest(turns.fail),
      wordsWait: rest(turns.wordsWait),
      reached: rest(turns.reached),
      savePartial: rest(turns.savePartial),
      cancelled: rest(turns.cancelled),
      stranded: rest(turns.stranded),
      asked: rest(turns.asked),
      partial: rest(turns.partial),
    };
  }

  async #write<Result>(work: () => Promise<Result>): Promise<Result> {
    this.check();
    this.writes += 1;
    const when = this.writes === this.#death?.at ? this.#death.when : undefined;
    if (when === "before") this.#die();
    if (when === "asleep") {
      this.hasLapsed = true;
      await this.#lapse();
    }
    const result = await work();
    if (when === "after") this.#die();
    return result;
  }

  #die(): never {
    this.isDead = true;
    throw new Killed("kill -9");
  }
}

function isMade(entry: unknown): boolean {
  const { kind } = entry as { readonly kind?: unknown };
  return kind === "cleared" || kind === "checkpoint";
}
