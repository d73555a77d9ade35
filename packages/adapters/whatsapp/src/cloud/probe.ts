import type { Clock } from "@talaria/protocol";

/** How long a good answer is believed. */
const intervalMs = 5 * 60_000;

export interface ProbeSession {
  /** Asks the platform; throws when it can't be reached or refuses us. */
  readonly check: () => Promise<void>;
  readonly connected: () => void;
  readonly clock: Clock;
}

/** Finds out whether a platform that is only called, never listened to, would take our calls. */
export class Probe {
  #hurry: (() => void) | undefined;
  #isHurried = false;

  /** Asks at once, then every five minutes, and whenever a call went wrong. Ends by throwing what `check` threw. */
  async session({ check, connected, clock }: ProbeSession, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#isHurried = false;
      await check();
      connected();
      if (!this.#isHurried) await this.#wait(clock, signal);
    }
  }

  /** A call went wrong: ask now. */
  hurry(): void {
    this.#isHurried = true;
    this.#hurry?.();
  }

  async #wait(clock: Clock, signal: AbortSignal): Promise<void> {
    const early = new AbortController();
    this.#hurry = () => early.abort();
    await clock.sleep(intervalMs, AbortSignal.any([signal, early.signal])).catch(() => undefined);
    this.#hurry = undefined;
  }
}
