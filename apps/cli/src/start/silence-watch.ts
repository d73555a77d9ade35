import type { FromChild } from "./messages.ts";

/** Whoever loads code or prepares a database may keep its thread for longer than one that serves. */
const startingMs = 60_000;
/** How often is looked within the time after which a child counts as stuck. */
const looksInTime = 6;
/** What is left of that time for its end and for whoever goes on with its work. */
const takeOverMs = 1_000;

/**
 * Notices when a child shows no pulse: 60 s long while it starts, then for as long as its lease says, in either case less a second, so that
 * its work goes on in time. Looks are counted from the last pulse on, not time: a supervisor that was stopped, or a machine that slept,
 * adds a single one, and what the child said meanwhile is read before the next.
 */
export class SilenceWatch {
  readonly #stuck: (silentMs: number) => void;
  #servingMs = startingMs;
  #silentLooks = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `stuck` is called once, with how long the child has been silent, in ms. */
  constructor(stuck: (silentMs: number) => void) {
    this.#stuck = stuck;
    this.#look(startingMs);
  }

  receive(message: FromChild): void {
    this.#silentLooks = 0;
    this.#timer?.refresh();
    if (message.type === "lease") this.#servingMs = message.terms.stuckAfterMs;
    else if (message.type === "ready") this.#look(this.#servingMs);
  }

  end(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(limitMs: number): void {
    clearInterval(this.#timer);
    const silentMs = limitMs - takeOverMs;
    this.#timer = setInterval(() => {
      this.#silentLooks += 1;
      if (this.#silentLooks < looksInTime) return;
      this.end();
      this.#stuck(silentMs);
    }, silentMs / looksInTime);
  }
}
