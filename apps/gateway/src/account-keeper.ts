import type { Adapter, AdapterHost, ConnectionState } from "@talaria/adapter";
import type { Delivery } from "@talaria/delivery";
import { type AccountId, isGatewayError, type Log, type ProcessId, type Receipt } from "@talaria/protocol";
import type { AccountSignal, QueueSystem, Subscription } from "@talaria/queue";
import type { Gate } from "@talaria/sessions";
import type { AccountLease, Store } from "@talaria/store";
import type { RouteTable } from "./http/route-table.ts";
import type { MediaFetcher } from "./media/media-fetcher.ts";

/** How long calls in flight may take when an account is let go, unless its lease ends before. */
const longestGraceMs = 5_000;

export interface AccountKeeperDeps {
  readonly gatewayId: ProcessId;
  readonly store: Pick<Store, "accounts" | "outbox">;
  readonly queue: Pick<QueueSystem, "bus">;
  readonly delivery: Delivery;
  readonly media: Pick<MediaFetcher, "attach" | "detach">;
  readonly routes: RouteTable;
  readonly gate: Gate;
  /** Whether a sender may be heard in a conversation now. */
  readonly isAllowed: AdapterHost["isAllowed"];
  /** An adapter left out what came in, or its content. */
  readonly leftOut: (accountId: AccountId, reason: string) => void;
  readonly leaseMs: number;
  /** Every signal of every account this gateway listens to. */
  readonly signalled: (accountId: AccountId, signal: AccountSignal) => void;
  /** The platform told that a message of ours, sent before, did not arrive. */
  readonly receiptFailed: (accountId: AccountId) => void;
  readonly connectionChanged: (adapter: Adapter, state: ConnectionState) => void;
  readonly log: Log;
}

/**
 * Holds the accounts of this gateway: takes free leases, connects what it holds, lets go of what it lost. An account
 * with holding `shared` is served by every gateway, and delivered by the one with the lease.
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

  /** Resolves when every account was tried once; connections may still be under way. */
  async start(adapters: readonly Adapter[]): Promise<void> {
    for (const adapter of adapters) this.#accounts.set(adapter.id, new HeldAccount(adapter, this.#deps));
    const shared = [...this.#accounts.values()].filter(({ adapter }) => adapter.holding === "shared");
    await Promise.all(shared.map((account) => account.connect()));
    await this.#renew();
    this.#schedule();
  }

  /** Lets go of everything, in time for another gateway to take over at once. */
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
    try {
      const held = new Map((await store.accounts.renew(gatewayId, leaseMs)).map((lease) => [lease.accountId, lease]));
      await Promise.all(
        [...this.#accounts.values()].map(async (account) => {
          const lease = held.get(account.adapter.id) ?? (await account.acquire());
          await account.follow(lease);
        }),
      );
    } catch (error) {
      log.warn({ error }, "account leases could not be renewed");
    }
  }
}

/** One account as this gateway sees it: its lease, its connection, its signals. */
class HeldAccount {
  readonly adapter: Adapter;
  readonly #deps: AccountKeeperDeps;
  readonly #log: Log;
  #lease: AccountLease | undefined;
  #connected = false;
  #signals: Subscription | undefined;
  #state: ConnectionState = { status: "stopped" };
  #stored: Promise<void> = Promise.resolve();

  constructor(adapter: Adapter, deps: AccountKeeperDeps) {
    this.adapter = adapter;
    this.#deps = deps;
    this.#log = deps.log.child({ accountId: adapter.id, platform: adapter.platform });
  }

  acquire(): Promise<AccountLease | undefined> {
    const { store, gatewayId, leaseMs } = this.#deps;
    const { id, platform, capabilities } = this.adapter;
    return store.accounts.acquire(id, platform, gatewayId, leaseMs, capabilities);
  }

  /** Brings connection and delivery in line with the lease. */
  async follow(lease: AccountLease | undefined): Promise<void> {
    if (lease?.fence === this.#lease?.fence) return;
    if (this.#lease !== undefined) await this.#lose();
    if (lease === undefined) return;
    this.#lease = lease;
    this.#log.info({ fence: lease.fence }, "account taken");
    this.#deps.delivery.attach(this.adapter, lease);
    await this.connect();
    this.#deps.delivery.poke(this.adapter.id);
    this.#deps.media.attach(this.adapter);
    this.#report(this.#state);
  }

  /** Listens for signals and lets the adapter connect, which may take long and is not waited for. */
  async connect(): Promise<void> {
    if (this.#connected) return;
    this.#connected = true;
    const { queue, delivery, signalled } = this.#deps;
    this.#signals = await queue.bus.onAccount(this.adapter.id, (signal) => {
      signalled(this.adapter.id, signal);
      if (signal.type === "deliver") delivery.poke(this.adapter.id);
      else if (signal.type === "frames") for (const frame of signal.frames) delivery.frame(frame);
    });
    void this.#startAdapter();
  }

  /** While the lease is ours, calls in flight are finished before the connection they use ends. */
  async stop(): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    // It was renewed at most a third of its length ago.
    const graceMs = Math.min(longestGraceMs, this.#deps.leaseMs / 2);
    await this.#deps.delivery.detach(this.adapter.id, graceMs);
    await this.#deps.media.detach(this.adapter.id);
    await this.#disconnect();
    if (lease !== undefined) await this.#deps.store.accounts.release(lease).catch(() => undefined);
  }

  /** Another gateway may hold the account already: nothing of it goes on here. */
  async #lose(): Promise<void> {
    this.#lease = undefined;
    this.#log.warn({}, "account lost to another gateway");
    void this.#deps.media.detach(this.adapter.id);
    if (this.adapter.holding === "leased") await this.#disconnect();
    await this.#deps.delivery.detach(this.adapter.id, 0);
  }

  async #startAdapter(): Promise<void> {
    const host: AdapterHost = {
      accept: (event, options) => this.#deps.gate(event, options),
      isAllowed: (from) => this.#deps.isAllowed(from),
      leftOut: (reason) => this.#deps.leftOut(this.adapter.id, reason),
      report: (state) => this.#report(state),
      receipt: (receipt) => this.#receive(receipt),
    };
    try {
      this.#deps.routes.set(this.adapter.id, this.adapter.routes?.() ?? []);
      await this.adapter.start(host);
    } catch (error) {
      const code = isGatewayError(error) ? error.code : "internal";
      this.#log.error({ error, code }, "account could not be started");
      // The adapter may have said already what has to be done.
      if (this.#state.status !== "needs-operator")
        this.#report({ status: "needs-operator", code, hint: "see the log, mend the account, restart" });
    }
  }

  /** Only the first word of a failure is news; a message that is not ours is stored without a sound. */
  async #receive(receipt: Receipt): Promise<void> {
    const { changed, known } = await this.#deps.store.outbox.receipt(receipt);
    if (!changed || !known || receipt.status !== "failed") return;
    const { messageId, conversation, reason } = receipt;
    this.#log.error({ messageId, conversationId: conversation.conversationId, reason }, "sent message did not arrive");
    this.#deps.receiptFailed(this.adapter.id);
  }

  async #disconnect(): Promise<void> {
    if (!this.#connected) return;
    this.#connected = false;
    this.#deps.routes.delete(this.adapter.id);
    await this.adapter.stop().catch((error: unknown) => this.#log.warn({ error }, "account stopped badly"));
    await this.#signals?.end();
    this.#signals = undefined;
  }

  #report(state: ConnectionState): void {
    this.#state = state;
    this.#deps.connectionChanged(this.adapter, state);
    this.#stored = this.#stored.then(() => this.#store(state));
  }

  /** States are stored one after the other, so that the newest one stays. */
  async #store(state: ConnectionState): Promise<void> {
    if (this.#lease === undefined || state !== this.#state) return;
    try {
      await this.#deps.store.accounts.report(this.#lease, { ...state });
    } catch (error) {
      this.#log.warn({ error }, "connection state not stored");
    }
  }
}
