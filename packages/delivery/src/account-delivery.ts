import type { Adapter } from "@talaria/adapter";
import {
  type Conversation,
  type ConversationId,
  GatewayError,
  isGatewayError,
  type MessageRef,
  type StreamFrame,
  type TurnId,
} from "@talaria/protocol";
import type { AccountLease, OutboxRow } from "@talaria/store";
import type { AccountContext, DeliveryDeps } from "./context.ts";
import { FrameGate } from "./frame-gate.ts";
import { Lane } from "./lane.ts";
import { Pacing } from "./pacing.ts";
import { type PreviewLeft, previewLeft } from "./preview-left.ts";
import { Previews } from "./previews.ts";
import { RowDelivery, type RowResult } from "./row-delivery.ts";
import { StatusReactions } from "./status-reactions.ts";

/**
 * Rows in memory, of the account and of one lane, and how many are read at once. When half the room is taken, a lane
 * gets one row only, so that a few slow conversations leave room for the others.
 */
const limits = { rows: 96, laneRows: 4, read: 16 };
/** Finds rows whose poke was lost. */
const sweepMs = 1_500;
/** After an error nobody expected. */
const errorPauseMs = 5_000;
/** Retries are due by the database's clock, which may be a little late. */
const retryMarginMs = 20;

/** Everything outbound of one attached account: lanes, timer, previews. */
export class AccountDelivery {
  readonly #context: AccountContext;
  readonly #previews: Previews;
  readonly #frames: FrameGate | undefined;
  readonly #reactions: StatusReactions | undefined;
  readonly #lanes = new Map<ConversationId, Lane>();
  readonly #stopping = new AbortController();
  readonly #hangUp = new AbortController();
  /** Work under way, for `idle` and `stop`. */
  readonly #work = new Set<Promise<unknown>>();
  #timer = new AbortController();
  #wakeAt = 0;
  #fetching = false;
  #fetchAgain = false;

  constructor(adapter: Adapter, lease: AccountLease, deps: DeliveryDeps) {
    this.#context = {
      ...deps,
      accountId: lease.accountId,
      adapter,
      lease,
      pacing: new Pacing(deps.clock, adapter.capabilities.accountPace),
      stopping: this.#stopping.signal,
      hangUp: this.#hangUp.signal,
      lost: () => this.#end(),
    };
    this.#previews = new Previews(this.#context, (conversation) => this.#isClear(conversation));
    if (deps.reactions?.isOn(lease.accountId))
      this.#reactions = new StatusReactions(this.#context, deps.reactions.asked);
    this.#frames = deps.mayAnswer && this.#frameGate(deps.mayAnswer);
  }

  /** Reads what is due and gives it to the lanes. Calls while it runs make it look once more. */
  poke(): void {
    this.#fetchAgain = true;
    if (!this.#fetching && !this.#stopping.signal.aborted) this.#track(this.#fetch());
  }

  frame(frame: StreamFrame): void {
    if (this.#stopping.signal.aborted) return;
    if (this.#frames === undefined) this.#show(frame);
    else this.#frames.frame(frame);
  }

  seen(message: MessageRef): void {
    this.#react((reactions) => reactions.mark(message, "seen"));
  }

  /** Resolves when nothing is being read or sent; what waits for its time is left to the timer. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }

  /** Begins nothing new, and waits for calls in flight for at most `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#end();
    const timer = new AbortController();
    this.#context.clock.sleep(graceMs, timer.signal).then(
      () => this.#hangUp.abort(),
      () => undefined,
    );
    if (graceMs <= 0) this.#hangUp.abort();
    await Promise.all([this.#previews.stop(), this.idle()]);
    timer.abort();
  }

  #end(): void {
    if (this.#stopping.signal.aborted) return;
    this.#stopping.abort(new GatewayError("the account was let go", { code: "aborted", effect: "none" }));
    this.#timer.abort();
  }

  #show(frame: StreamFrame): void {
    if (this.#stopping.signal.aborted) return;
    this.#previews.frame(frame);
    if (frame.type === "started") this.poke();
    const { turnId } = frame;
    const isNews = frame.type === "started" || (frame.type === "ended" && frame.status === "aborted");
    if (isNews) this.#react((reactions) => reactions.turn(turnId));
  }

  /** Nothing waits for it, and `idle` does not either. */
  #react(react: (reactions: StatusReactions) => Promise<void>): void {
    if (this.#reactions !== undefined) void react(this.#reactions);
  }

  /** What was shown of a reply whose readers were shut out is taken away when its text is given up. */
  #frameGate(mayAnswer: (turnId: TurnId) => Promise<boolean>): FrameGate {
    return new FrameGate({
      mayAnswer,
      pass: (frame) => this.#show(frame),
      shut: (turnId) => this.#track(this.#previews.close(turnId)),
      clock: this.#context.clock,
    });
  }

  /** Never rejects. */
  async #fetch(): Promise<void> {
    this.#fetching = true;
    try {
      while (this.#fetchAgain && !this.#stopping.signal.aborted) {
        this.#fetchAgain = false;
        await this.#fetchDue();
      }
    } catch (error) {
      this.#refused(error);
    }
    this.#fetching = false;
    this.#previews.look();
    this.#wakeIn(sweepMs);
  }

  async #fetchDue(): Promise<void> {
    const { outbox, lease } = this.#context;
    for (;;) {
      const inFlight = this.#inFlight();
      const room = Math.min(limits.read, limits.rows - inFlight.length);
      if (room <= 0) return;
      const rows = await outbox.due(lease, inFlight, room);
      if (this.#stopping.signal.aborted) return;
      const laneRows = inFlight.length < limits.rows / 2 ? limits.laneRows : 1;
      for (const row of rows) {
        const lane = this.#laneOf(row.conversation);
        if (lane.rows.length < laneRows) lane.add(row);
      }
      for (const [conversation, lane] of this.#lanes) this.#start(conversation, lane);
      if (rows.length < room) return;
    }
  }

  #inFlight(): number[] {
    return [...this.#lanes.values()].flatMap((lane) => lane.rows.map(({ id }) => id));
  }

  #laneOf({ conversationId }: Conversation): Lane {
    const lane = this.#lanes.get(conversationId) ?? new Lane();
    this.#lanes.set(conversationId, lane);
    return lane;
  }

  #start(conversation: ConversationId, lane: Lane): void {
    if (lane.isRunning || lane.rows.length === 0) return;
    const running = lane.run((row) => this.#deliver(row)).catch((error: unknown) => this.#refused(error));
    this.#track(running.then(() => this.#ended(conversation, lane)));
  }

  async #deliver(row: OutboxRow): Promise<RowResult> {
    this.#stopping.signal.throwIfAborted();
    const turnId = row.kind === "reply" ? row.turnId : undefined;
    const left = turnId && (await this.#previews.close(turnId));
    const preview = left === undefined || left.state === "unknown" ? previewLeft(row.preview) : left;
    const result = await this.#run(row, preview);
    if (result === "finished" && turnId !== undefined) this.#previews.forget(turnId);
    if (result !== "finished") this.#wakeIn(result.retryInMs + retryMarginMs);
    return result;
  }

  /** When the store refuses, the lane rests for a while before its rows are read again. */
  async #run(row: OutboxRow, preview: PreviewLeft): Promise<RowResult> {
    try {
      const delivery = new RowDelivery(row, preview, this.#context);
      const result = await delivery.run();
      if (result === "finished" && row.kind === "reply") this.#delivered(row, delivery.error);
      return result;
    } catch (error) {
      this.#refused(error);
      await this.#context.clock.sleep(errorPauseMs, this.#stopping.signal);
      return { retryInMs: 0 };
    }
  }

  /** Whoever was shut out sees nothing, no reaction either. */
  #delivered({ turnId }: OutboxRow, error: string | undefined): void {
    if (turnId === undefined || error === "not_allowed") return;
    this.#react((reactions) => reactions.turn(turnId, error === undefined));
  }

  #ended(conversation: ConversationId, lane: Lane): void {
    if (lane.isIdle) this.#lanes.delete(conversation);
    this.#previews.look();
    this.poke();
  }

  /** Everything before a preview in its conversation has been sent, as far as this process knows. */
  #isClear({ conversationId }: Conversation): boolean {
    return !this.#fetching && (this.#lanes.get(conversationId)?.isIdle ?? true);
  }

  /** Looks for due rows in `ms` at the latest. */
  #wakeIn(ms: number): void {
    const { clock } = this.#context;
    const at = clock.now() + ms;
    if (this.#stopping.signal.aborted || (at >= this.#wakeAt && this.#wakeAt > clock.now())) return;
    this.#timer.abort();
    this.#timer = new AbortController();
    this.#wakeAt = at;
    clock.sleep(ms, this.#timer.signal).then(
      () => {
        this.#wakeAt = 0;
        this.#track(this.#previews.sweep());
        this.poke();
      },
      () => undefined,
    );
  }

  #refused(error: unknown): void {
    const { log, accountId } = this.#context;
    if (isGatewayError(error, "conflict")) this.#end();
    else if (!this.#stopping.signal.aborted) log.error({ accountId, error }, "delivery was interrupted");
  }

  #track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.catch((error: unknown) => this.#refused(error)).finally(() => this.#work.delete(work));
  }
}
