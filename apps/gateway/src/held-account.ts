import type { Adapter, AdapterHost, ConnectionState } from "@talaria/adapter";
import type { Delivery } from "@talaria/delivery";
import type { AccountId, Clock, ErrorCode, Log, ProcessId, Receipt } from "@talaria/protocol";
import type { AccountSignal, QueueSystem } from "@talaria/queue";
import type { Gate } from "@talaria/sessions";
import type { AccountLease, Store } from "@talaria/store";
import { AccountConnection } from "./account-connection.ts";
import { type AccountSignals, receiveSignals } from "./account-signals.ts";
import type { RouteTable } from "./http/route-table.ts";
import type { MediaFetcher } from "./media/media-fetcher.ts";

/** How long calls in flight may take when an account is released, unless its lease ends earlier. */
const longestGraceMs = 5_000;

export interface HeldAccountDeps {
  readonly gatewayId: ProcessId;
  readonly store: Pick<Store, "accounts" | "inbox" | "outbox">;
  readonly queue: Pick<QueueSystem, "bus">;
  readonly delivery: Delivery;
  readonly media: Pick<MediaFetcher, "attach" | "detach" | "poke">;
  readonly routes: RouteTable;
  readonly gate: Gate;
  /** Whether the agent may listen to a sender in a conversation now. */
  readonly isAllowed: AdapterHost["isAllowed"];
  /** What somebody has seen of what others wrote to the account. */
  readonly received: AdapterHost["received"];
  /** Ends what began in a conversation while it was of another kind. */
  readonly kindChanged: AdapterHost["kindChanged"];
  /** Asks owners about a group that is not let in. */
  readonly added: AdapterHost["added"];
  /** Called when an adapter leaves out an event or its content. */
  readonly leftOut: (accountId: AccountId, reason: string) => void;
  readonly leaseMs: number;
  /** Every signal of every account this gateway listens to. */
  readonly signalled: (accountId: AccountId, signal: AccountSignal) => void;
  /** The platform reported that a message which we had sent did not arrive. */
  readonly receiptFailed: (accountId: AccountId) => void;
  readonly connectionChanged: (adapter: Adapter, state: ConnectionState) => void;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
}

/**
 * One account as this gateway sees it. `follow` says which lease it has now; delivery, signals and connection follow from
 * that, each independently of the others and each retried until it succeeds.
 */
export class HeldAccount {
  readonly adapter: Adapter;
  readonly #deps: HeldAccountDeps;
  readonly #log: Log;
  readonly #connection: AccountConnection;
  #lease: AccountLease | undefined;
  /** Set while the account is, or should be, connected here. */
  #listening: { readonly life: string; readonly ending: AbortController; readonly signals: AccountSignals } | undefined;
  #signalsEnded: Promise<void> = Promise.resolve();
  #acquiring: Promise<void> | undefined;
  #state: ConnectionState = { status: "stopped" };
  /** Why there is no connection, once the log has said so. */
  #lostBy: ErrorCode | undefined;
  #stored: Promise<void> = Promise.resolve();

  constructor(adapter: Adapter, deps: HeldAccountDeps) {
    this.adapter = adapter;
    this.#deps = deps;
    this.#log = deps.log.child({ accountId: adapter.id, platform: adapter.platform });
    const { clock, random } = deps;
    const host: AdapterHost = {
      accept: (event, options) => deps.gate(event, options),
      isAllowed: (from) => deps.isAllowed(from),
      heard: (conversation, messageId) => deps.store.inbox.heard(conversation, messageId),
      received: (from, messageIds) => deps.received(from, messageIds),
      kindChanged: (conversation) => deps.kindChanged(conversation),
      added: (conversation, by) => deps.added(conversation, by),
      leftOut: (reason) => deps.leftOut(adapter.id, reason),
      report: (state) => this.#report(state),
      receipt: (receipt) => this.#receive(receipt),
    };
    const log = this.#log;
    this.#connection = new AccountConnection({ adapter, host, state: () => this.#state, clock, random, log });
  }

  get isHeld(): boolean {
    return this.#lease !== undefined;
  }

  /** Resolves when the first attempt to subscribe to the account's signals has ended. */
  get listened(): Promise<void> {
    return this.#listening?.signals.tried ?? Promise.resolve();
  }

  /**
   * Takes the account if it is free. Resolves when that is decided; never rejects. Overlapping calls share one attempt. An
   * adapter that is still stopping takes no new lease: another gateway may be able to connect the account.
   */
  acquire(): Promise<void> {
    this.#acquiring ??= this.#acquire().finally(() => {
      this.#acquiring = undefined;
    });
    return this.#acquiring;
  }

  /** Takes effect at once for delivery; the connection follows when it can. */
  follow(lease: AccountLease | undefined): void {
    if (lease?.fence !== this.#lease?.fence) {
      if (this.#lease !== undefined) this.#lose();
      if (lease !== undefined) this.#take(lease);
    }
    this.#want(this.adapter.holding === "shared" ? "shared" : lease && `fence ${lease.fence}`);
  }

  /** While the lease is ours, calls in flight are finished before the connection they use ends. */
  async stop(): Promise<void> {
    await this.#acquiring;
    const lease = this.#lease;
    this.#lease = undefined;
    // It was renewed at most a third of its length ago.
    const graceMs = Math.min(longestGraceMs, this.#deps.leaseMs / 2);
    await this.#deps.delivery.detach(this.adapter.id, graceMs);
    await this.#deps.media.detach(this.adapter.id);
    this.#want(undefined);
    await Promise.all([this.#connection.idle(), this.#signalsEnded]);
    if (lease !== undefined) await this.#deps.store.accounts.release(lease).catch(() => undefined);
  }

  async #acquire(): Promise<void> {
    if (this.#connection.isStopping) return;
    const { store, gatewayId, leaseMs } = this.#deps;
    const { id, platform, capabilities } = this.adapter;
    try {
      const lease = await store.accounts.acquire(id, platform, gatewayId, leaseMs, capabilities);
      if (lease !== undefined) this.follow(lease);
    } catch (error) {
      this.#log.warn({ error }, "account could not be acquired");
    }
  }

  #take(lease: AccountLease): void {
    this.#lease = lease;
    this.#log.info({ fence: lease.fence }, "account taken");
    this.#deps.delivery.attach(this.adapter, lease);
    this.#deps.media.attach(this.adapter);
    // A shared account was connected before; the row still shows what its last holder reported.
    if (this.#listening !== undefined) this.#report(this.#state);
  }

  /** Another gateway may hold the account already, so everything about it ends here. */
  #lose(): void {
    this.#lease = undefined;
    this.#log.warn({}, "account lost to another gateway");
    void this.#deps.delivery.detach(this.adapter.id, 0);
    void this.#deps.media.detach(this.adapter.id);
  }

  #want(life: string | undefined): void {
    if (this.#listening?.life === life) return;
    this.#listening?.ending.abort();
    this.#deps.routes.delete(this.adapter.id);
    this.#listening = undefined;
    if (life !== undefined) {
      this.#deps.routes.set(this.adapter.id, this.adapter.routes?.() ?? []);
      const ending = new AbortController();
      const signals = this.#listen(ending.signal);
      this.#signalsEnded = signals.ended;
      this.#listening = { life, ending, signals };
    }
    this.#connection.want(life);
  }

  #listen(signal: AbortSignal): AccountSignals {
    const { queue, delivery, media, signalled, clock, random } = this.#deps;
    const { id } = this.adapter;
    const receive = (received: AccountSignal) => {
      signalled(id, received);
      if (received.type === "deliver") delivery.poke(id);
      else if (received.type === "fetch") media.poke();
      else if (received.type === "frames") for (const frame of received.frames) delivery.frame(frame);
    };
    const late = () => delivery.poke(id);
    return receiveSignals(id, { bus: queue.bus, receive, late, clock, random, log: this.#log }, signal);
  }

  /** Only the first report of a failure is news; one about a message that isn't ours is stored without logging. */
  async #receive(receipt: Receipt): Promise<void> {
    const { changed, known } = await this.#deps.store.outbox.receipt(receipt);
    if (!changed || !known || receipt.status !== "failed") return;
    const { messageId, conversation, reason } = receipt;
    this.#log.error({ messageId, conversationId: conversation.conversationId, reason }, "sent message did not arrive");
    this.#deps.receiptFailed(this.adapter.id);
  }

  #report(state: ConnectionState): void {
    this.#state = state;
    this.#noteLoss(state);
    this.#deps.connectionChanged(this.adapter, state);
    if (state.status === "connected") this.#deps.delivery.connected(this.adapter.id);
    this.#stored = this.#stored.then(() => this.#store(state));
  }

  /** Once for each reason, however many attempts fail for it. */
  #noteLoss(state: ConnectionState): void {
    if (state.status === "connected") {
      if (this.#lostBy !== undefined) this.#log.info({}, "account connected again");
      this.#lostBy = undefined;
    }
    if (!("code" in state) || state.code === this.#lostBy) return;
    this.#lostBy = state.code;
    const { status, code } = state;
    if (status === "reconnecting") this.#log.warn({ code }, "account has no connection; it is tried again");
    else this.#log.error({ code }, "account is refused; an operator has to act");
  }

  /** States are stored one after another, so that the newest one stays. */
  async #store(state: ConnectionState): Promise<void> {
    if (this.#lease === undefined || state !== this.#state) return;
    try {
      await this.#deps.store.accounts.report(this.#lease, { ...state });
    } catch (error) {
      this.#log.warn({ error }, "connection state not stored");
    }
  }
}
