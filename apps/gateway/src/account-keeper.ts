import type { Adapter } from "@talaria/adapter";
import { type AccountId, GatewayError, type OutboundMessage } from "@talaria/protocol";
import { HeldAccount, type HeldAccountDeps } from "./held-account.ts";

export type AccountKeeperDeps = HeldAccountDeps;

/**
 * Holds the accounts of this gateway: renews their leases, takes free accounts, and tells each account which lease it has. A
 * renewal waits for nothing but the database; what an account does afterwards goes on by itself. An account with holding
 * `shared` is served by every gateway; the one with the lease delivers for it.
 */
export class AccountKeeper {
  readonly #deps: AccountKeeperDeps;
  readonly #accounts = new Map<AccountId, HeldAccount>();
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(deps: AccountKeeperDeps) {
    this.#deps = deps;
  }

  /** Resolves when every account was tried once; some may still be connecting. */
  async start(adapters: readonly Adapter[]): Promise<void> {
    for (const adapter of adapters) this.#accounts.set(adapter.id, new HeldAccount(adapter, this.#deps));
    const accounts = [...this.#accounts.values()];
    for (const account of accounts) if (account.adapter.holding === "shared") account.follow(undefined);
    await this.#renew();
    await Promise.all(accounts.map((account) => account.acquire()));
    await Promise.all(accounts.map((account) => account.listened));
    this.#schedule();
  }

  /**
   * Posts a message past the outbox, through an account that this gateway holds: nothing knows of it later. Only for what the outbox can't
   * carry, such as that the database takes nothing.
   */
  async sendNow(message: OutboundMessage, signal: AbortSignal): Promise<void> {
    const account = this.#accounts.get(message.conversation.accountId);
    if (account?.isHeld !== true)
      throw new GatewayError("this gateway does not hold the account", { code: "unavailable", effect: "none" });
    await account.adapter.send(message, signal);
  }

  /** Releases everything, so that another gateway can take over at once. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#renewing;
    await Promise.all([...this.#accounts.values()].map((account) => account.stop()));
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(() => {
      this.#renewing = this.#renew().finally(() => this.#schedule());
    }, this.#deps.leaseMs / 3);
  }

  async #renew(): Promise<void> {
    const { store, gatewayId, leaseMs, log } = this.#deps;
    const accounts = [...this.#accounts.values()];
    // An account that is being taken meanwhile may be missing from the answer, and is not lost.
    const before = accounts.filter((account) => account.isHeld);
    try {
      const held = new Map((await store.accounts.renew(gatewayId, leaseMs)).map((lease) => [lease.accountId, lease]));
      if (this.#stopped) return;
      for (const account of accounts) {
        const lease = held.get(account.adapter.id);
        if (lease !== undefined || before.includes(account)) account.follow(lease);
        if (lease === undefined) void account.acquire();
      }
    } catch (error) {
      log.warn({ error }, "account leases could not be renewed");
    }
  }
}
