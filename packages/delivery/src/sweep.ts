import type { AccountDelivery } from "./account-delivery.ts";
import type { DeliveryDeps } from "./context.ts";

const sweepMs = 1_500;
/** Pause between two sweeps without activity: at the shorter pause they were half of an idle installation's load on the database. */
const quietSweepMs = 6_000;
/** No news for this long means no activity: a running turn sends a frame at least every ten seconds. */
const quietAfterMs = 15_000;

/**
 * Looks after all attached accounts at once: one statement finds those with texts whose poke was lost, and those that
 * another gateway has taken. Runs while there are accounts to look after.
 */
export class Sweep {
  readonly #deps: Pick<DeliveryDeps, "outbox" | "clock" | "log">;
  readonly #accounts: () => readonly AccountDelivery[];
  #stopping: AbortController | undefined;
  #newsAt: number;
  /** Ends a long pause. */
  #resting: AbortController | undefined;

  constructor(deps: Pick<DeliveryDeps, "outbox" | "clock" | "log">, accounts: () => readonly AccountDelivery[]) {
    this.#deps = deps;
    this.#accounts = accounts;
    this.#newsAt = deps.clock.elapsed();
  }

  /** There is activity: a message has arrived, a reply grows or is to be sent. */
  news(): void {
    this.#newsAt = this.#deps.clock.elapsed();
    this.#resting?.abort("news");
  }

  /** Accounts were attached or detached. */
  look(): void {
    if (this.#live().length === 0) this.#stopping?.abort();
    else if (this.#stopping === undefined) void this.#run();
  }

  async #run(): Promise<void> {
    const stopping = new AbortController();
    this.#stopping = stopping;
    while (this.#live().length > 0 && !stopping.signal.aborted) {
      if ((await this.#pause(stopping.signal)) && !stopping.signal.aborted) await this.#sweep(this.#live());
    }
    this.#stopping = undefined;
    if (this.#live().length > 0) void this.#run();
  }

  /** False if it was cut short. */
  async #pause(stopping: AbortSignal): Promise<boolean> {
    const { clock } = this.#deps;
    const isQuiet = clock.elapsed() - this.#newsAt >= quietAfterMs;
    if (isQuiet) this.#resting = new AbortController();
    const signal = this.#resting === undefined ? stopping : AbortSignal.any([stopping, this.#resting.signal]);
    const isWhole = await clock.sleep(isQuiet ? quietSweepMs : sweepMs, signal).then(
      () => true,
      () => false,
    );
    this.#resting = undefined;
    return isWhole;
  }

  async #sweep(accounts: readonly AccountDelivery[]): Promise<void> {
    const { outbox, log } = this.#deps;
    for (const account of accounts) account.sweep();
    if (accounts.length === 0) return;
    try {
      const found = new Set(await outbox.toRead(accounts.map(({ lease }) => lease)));
      for (const account of accounts) if (found.has(account.lease.accountId)) account.poke();
    } catch (error) {
      log.warn({ error }, "the outbox could not be read");
    }
  }

  #live(): readonly AccountDelivery[] {
    return this.#accounts().filter((account) => !account.isStopped);
  }
}
