import type { FromChild } from "./messages.ts";

/** Whoever loads code or prepares a database may keep its thread for longer than one that serves. */
const startingMs = 60_000;
/** How often is looked within the time after which a child counts as stuck. */
const looksInTime = 6;

/**
 * Notices when a child shows no pulse: 60 s long while it starts, then for as long as its lease says. Looks are counted, not time: a
 * supervisor that was stopped, or a machine that slept, adds a single one, and what the child said meanwhile is read before the next.
 */
export class SilenceWatch {
  readonly #stuck: (limitMs: number) => void;
  #servingMs = startingMs;
  #silentLooks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `stuck` is called once, with the limit in ms, when the child has been silent for as long as that, or up to a sixth less. */
  constructor(stuck: (limitMs: number) => void) {
    this.#stuck = stuck;
    this.#look(startingMs);
  }

  receive(message: FromChild): void {
    this.#silentLooks = 0;
    if (message.type === "lease") this.#servingMs = message.terms.stuckAfterMs;
    else if (message.type === "ready") this.#look(this.#servingMs);
  }

  end(): void {
    clearInterval(this.#timer);
  }

  #look(limitMs: number): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => {
      this.#silentLooks += 1;
      if (this.#silentLooks < looksInTime) return;
      this.end();
      this.#stuck(limitMs);
    }, limitMs / looksInTime);
  }
}
