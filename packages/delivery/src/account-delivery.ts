import type { Adapter } from "@talaria/adapter";
import { GatewayError, isGatewayError, type MessageRef, type StreamFrame } from "@talaria/protocol";
import type { AccountLease, Hurried } from "@talaria/store";
import { AbandonedPreviews } from "./abandoned-previews.ts";
import type { AccountContext, DeliveryDeps, ProgressMarks } from "./context.ts";
import { FrameGate } from "./frame-gate.ts";
import { Lanes } from "./lanes.ts";
import { LongWork } from "./long-work.ts";
import { Outage } from "./outage.ts";
import { OutageNews } from "./outage-news.ts";
import { Pacing } from "./pacing.ts";
import { ReplyFrames } from "./reply-frames.ts";
import { StatusReactions } from "./status-reactions.ts";

/** Pause after the outbox could not be read. */
const readAgainMs = 1_500;

/** Sends everything of one attached account: reads its outbox for its lanes, and hands them the frames of replies. */
export class AccountDelivery {
  readonly lease: AccountLease;
  readonly #context: AccountContext;
  readonly #lanes: Lanes;
  readonly #replies: ReplyFrames;
  readonly #gate: FrameGate | undefined;
  readonly #abandoned: AbandonedPreviews;
  readonly #stopping = new AbortController();
  readonly #hangUp = new AbortController();
  /** Work of its own under way, for `idle` and `stop`. */
  readonly #work = new Set<Promise<unknown>>();
  #timer = new AbortController();
  #wakeAt = 0;
  #isSweeping = false;
  #isReading = false;
  #readAgain = false;

  constructor(adapter: Adapter, lease: AccountLease, deps: DeliveryDeps) {
    this.lease = lease;
    const context = {
      ...deps,
      accountId: lease.accountId,
      adapter,
      lease,
      pacing: new Pacing(deps.clock, adapter.capabilities.accountPace),
      outage: new Outage(deps.clock, (which) => this.#track(this.#hurry(which))),
      outageNews: new OutageNews({ ...deps, accountId: lease.accountId }),
      stopping: this.#stopping.signal,
      hangUp: this.#hangUp.signal,
      lost: () => this.#end(),
      lookIn: (ms: number) => this.#lookIn(ms),
    };
    const { reactions, mayAnswer, clock } = deps;
    this.#context = { ...context, marks: reactions && marksFor(context, reactions) };
    this.#lanes = new Lanes(this.#context);
    this.#replies = new ReplyFrames(this.#context, this.#lanes);
    this.#abandoned = new AbandonedPreviews(this.#context);
    const pass = (frame: StreamFrame) => this.#pass(frame);
    if (mayAnswer !== undefined)
      this.#gate = new FrameGate({ mayAnswer, pass, shut: (turnId) => this.#replies.shut(turnId), clock });
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Reads what is due and gives it to the lanes. A call while it runs makes it look once more. */
  poke(): void {
    this.#readAgain = true;
    if (!this.#isReading && !this.isStopped) this.#track(this.#read());
  }

  connected(): void {
    if (!this.isStopped) this.#context.outage.reached();
  }

  frame(frame: StreamFrame): void {
    if (this.isStopped) return;
    if (this.#gate === undefined) this.#pass(frame);
    else this.#gate.frame(frame);
  }

  seen(message: MessageRef): void {
    void this.#context.marks?.mark(message, "seen");
  }

  /** Drops replies that are no longer written, and removes the previews of those that ended without a text. */
  sweep(): void {
    if (!this.#isSweeping && !this.isStopped) this.#track(this.#sweep());
  }

  /** Resolves when nothing is being read or sent; what is due later is left to the timer. */
  async idle(): Promise<void> {
    do {
      await Promise.allSettled(this.#work);
      await this.#lanes.idle();
    } while (this.#work.size > 0);
  }

  /** Starts nothing new, and waits at most `graceMs` for calls in flight. */
  async stop(graceMs: number): Promise<void> {
    this.#end();
    const timer = new AbortController();
    this.#context.clock.sleep(graceMs, timer.signal).then(
      () => this.#hangUp.abort(),
      () => undefined,
    );
    if (graceMs <= 0) this.#hangUp.abort();
    await this.idle();
    timer.abort();
  }

  #end(): void {
    if (this.isStopped) return;
    this.#stopping.abort(new GatewayError("the account was let go", { code: "aborted", effect: "none" }));
    this.#timer.abort();
  }

  /** Nothing waits for the mark, not even `idle`. */
  #pass(frame: StreamFrame): void {
    if (this.isStopped) return;
    this.#replies.frame(frame);
    const { marks } = this.#context;
    if (frame.type === "started") void marks?.began(frame.turnId);
    else if (frame.type === "ended" && frame.status !== "completed") void marks?.turn(frame.turnId);
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#readAgain && !this.isStopped) {
        this.#readAgain = false;
        const isAll = await this.#readDue();
        if (isAll && !this.#readAgain) this.#lanes.caughtUp();
      }
    } catch (error) {
      this.#failed(error);
      this.#lookIn(readAgainMs);
    }
    this.#isReading = false;
  }

  /** Whether everything that is due is here. */
  async #readDue(): Promise<boolean> {
    const { outbox, lease } = this.#context;
    for (;;) {
      const { inFlight, count } = this.#lanes.room();
      if (count === 0) return false;
      const rows = await outbox.due(lease, inFlight, count);
      if (this.isStopped) return false;
      for (const { kind, turnId } of rows) if (kind === "reply" && turnId !== undefined) this.#replies.told(turnId);
      this.#lanes.add(rows, inFlight.length);
      if (rows.length < count) return true;
    }
  }

  async #sweep(): Promise<void> {
    this.#isSweeping = true;
    for (const turnId of await this.#lanes.sweep()) {
      this.#replies.forget(turnId);
      this.#abandoned.add(turnId);
    }
    await this.#abandoned.takeAway();
    this.#isSweeping = false;
  }

  /** The platform is seen to work again. When that can't be stored, the texts are due when they would have been. */
  async #hurry(which: Hurried): Promise<void> {
    const { outbox, lease, log, accountId } = this.#context;
    try {
      if (await outbox.hurry(lease, which)) this.poke();
    } catch (error) {
      log.warn({ accountId, error }, "texts that wait for the platform wait for their time");
    }
  }

  /** Looks for due texts in `ms` at the latest. */
  #lookIn(ms: number): void {
    const { clock } = this.#context;
    const at = clock.elapsed() + ms;
    if (ms <= 0) this.poke();
    if (ms <= 0 || this.isStopped || (at >= this.#wakeAt && this.#wakeAt > clock.elapsed())) return;
    this.#timer.abort();
    this.#timer = new AbortController();
    this.#wakeAt = at;
    clock.sleep(ms, this.#timer.signal).then(
      () => {
        this.#wakeAt = 0;
        this.poke();
      },
      () => undefined,
    );
  }

  #failed(error: unknown): void {
    const { log, accountId } = this.#context;
    if (isGatewayError(error, "conflict")) this.#end();
    else if (!this.isStopped) log.error({ accountId, error }, "delivery was interrupted");
  }

  #track(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.catch((error: unknown) => this.#failed(error)).finally(() => this.#work.delete(work));
  }
}

function marksFor(
  context: Omit<AccountContext, "marks">,
  { isOn, asked }: NonNullable<DeliveryDeps["reactions"]>,
): ProgressMarks | undefined {
  if (isOn(context.accountId)) return new StatusReactions(context, asked);
  return LongWork.suits(context) ? new LongWork(context, asked) : undefined;
}
