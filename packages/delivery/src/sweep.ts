import type { AccountDelivery } from "./account-delivery.ts";
import type { DeliveryDeps } from "./context.ts";

const sweepMs = 1_500;

/**
 * Looks after all attached accounts at once: one statement finds those with texts whose poke was lost, and those that
 * another gateway has taken. Runs while there are accounts to look after.
 */
export class Sweep {
  readonly #deps: Pick<DeliveryDeps, "outbox" | "clock" | "log">;
  readonly #accounts: () => readonly AccountDelivery[];
  #stopping: AbortController | undefined;

  constructor(deps: Pick<DeliveryDeps, "outbox" | "clock" | "log">, accounts: () => readonly AccountDelivery[]) {
    this.#deps = deps;
    this.#accounts = accounts;
  }

  /** Accounts have come or gone. */
  look(): void {
    if (this.#live().length === 0) this.#stopping?.abort();
    else if (this.#stopping === undefined) void this.#run();
  }

  async #run(): Promise<void> {
    const { clock } = this.#deps;
    const stopping = new AbortController();
    this.#stopping = stopping;
    while (this.#live().length > 0 && !stopping.signal.aborted) {
      await clock.sleep(sweepMs, stopping.signal).catch(() => undefined);
      if (!stopping.signal.aborted) await this.#sweep(this.#live());
    }
    this.#stopping = undefined;
    if (this.#live().length > 0) void this.#run();
  }

  async #sweep(accounts: readonly AccountDelivery[]): Promise<void> {
    const { outbox, log } = this.#deps;
    for (const account of accounts) account.sweep();
    if (accounts.length === 0) return;
    try {
      const found = new Set(await outbox.toRead(accounts.map(({ lease }) => lease)));
      for (const account of accounts) if (found.has(account.lease.accountId)) account.poke();
    } catch (error) {
      log.warn({ error }, "the outbox could not be looked at");
    }
  }

  #live(): readonly AccountDelivery[] {
    return this.#accounts().filter((account) => !account.isStopped);
  }
}
