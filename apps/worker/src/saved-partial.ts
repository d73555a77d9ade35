import type { Clock } from "@talaria/protocol";

const everyMs = 1_000;

/** Keeps the answer so far in the store, for another worker and for pages that are opened meanwhile. */
export class SavedPartial {
  readonly #stream: { readonly text: string };
  readonly #save: (text: string) => Promise<void>;
  readonly #clock: Pick<Clock, "elapsed">;
  #saved = "";
  #nextAt: number;

  constructor(stream: { readonly text: string }, save: (text: string) => Promise<void>, clock: Pick<Clock, "elapsed">) {
    this.#stream = stream;
    this.#save = save;
    this.#clock = clock;
    this.#nextAt = clock.elapsed() + everyMs;
  }

  /** Words come often: they are stored once a second. */
  async atWord(): Promise<void> {
    if (this.#clock.elapsed() >= this.#nextAt) await this.#saveNow();
  }

  /** What follows a step may take long, and nothing grows meanwhile. */
  async atStep(): Promise<void> {
    if (this.#stream.text !== this.#saved) await this.#saveNow();
  }

  async #saveNow(): Promise<void> {
    this.#saved = this.#stream.text;
    await this.#save(this.#saved);
    this.#nextAt = this.#clock.elapsed() + everyMs;
  }
}
