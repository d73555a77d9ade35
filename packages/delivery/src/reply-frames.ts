import type { StreamFrame, TurnId } from "@talaria/protocol";
import type { PartialReply } from "@talaria/store";
import type { AccountContext } from "./context.ts";
import type { GrowingReply, ReplyPlace } from "./growing-reply.ts";
import type { LaneRunner } from "./lane-runner.ts";
import type { Lanes } from "./lanes.ts";

/** Replies shown at the same time; others are shown when they are complete. */
const maxReplies = 1_000;
/** Turns remembered to recognise their late frames. */
const maxTold = 2_000;
/** Partial replies of one turn are read at most this often. */
const partialPauseMs = 1_000;
/** Frames of one turn kept until its partial is read; the next partial replaces the rest. */
const maxWaiting = 64;

/** Passes the frames of growing replies to the lanes of their conversations, and makes up for lost ones. */
export class ReplyFrames {
  readonly #context: AccountContext;
  readonly #lanes: Lanes;
  readonly #laneOf = new Map<TurnId, LaneRunner>();
  /** Turns whose final text has arrived: their frames are late. */
  readonly #told = new Set<TurnId>();
  readonly #reading = new Map<TurnId, StreamFrame[]>();

  constructor(context: AccountContext, lanes: Lanes) {
    this.#context = context;
    this.#lanes = lanes;
  }

  frame(frame: StreamFrame): void {
    const { turnId } = frame;
    if (this.#told.has(turnId) || this.#context.stopping.aborted) return;
    const reading = this.#reading.get(turnId);
    if (this.#replyOf(turnId) !== undefined) this.#feed(frame);
    else if (reading !== undefined) {
      if (reading.length < maxWaiting) reading.push(frame);
    } else if (frame.type === "started") this.#start(frame);
    else if (frame.type !== "ended" && this.#hasRoom()) void this.#read(turnId, [frame]);
  }

  /** The final text of this turn has arrived. */
  told(turnId: TurnId): void {
    this.forget(turnId);
    this.#told.delete(turnId);
    this.#told.add(turnId);
    const [oldest] = this.#told;
    if (this.#told.size > maxTold && oldest !== undefined) this.#told.delete(oldest);
  }

  /** The preview of this reply must not grow any further. */
  shut(turnId: TurnId): void {
    this.#laneOf.get(turnId)?.close(turnId);
  }

  forget(turnId: TurnId): void {
    this.#laneOf.delete(turnId);
  }

  #replyOf(turnId: TurnId): GrowingReply | undefined {
    return this.#laneOf.get(turnId)?.reply(turnId);
  }

  #start(frame: Extract<StreamFrame, { type: "started" }>): void {
    const { turnId, conversation, replyTo } = frame;
    if (conversation.accountId !== this.#context.accountId || !this.#hasRoom()) return;
    this.#grow({ turnId, conversation, ...(replyTo === undefined ? {} : { replyTo }) });
    this.#feed(frame);
  }

  /** It is shown once the texts before it are sent, so the outbox is read now. */
  #grow(place: ReplyPlace): void {
    const lane = this.#lanes.of(place.conversation);
    lane.grow(place);
    this.#laneOf.set(place.turnId, lane);
    this.#context.lookIn(0);
  }

  #feed(frame: StreamFrame): void {
    const { turnId } = frame;
    this.#laneOf.get(turnId)?.frame(frame);
    if (this.#replyOf(turnId)?.text.hasGap && !this.#reading.has(turnId)) void this.#read(turnId, []);
  }

  /**
   * While the text has a gap, reads at a bounded pace what was lost with frames, and where the reply goes if the first
   * frame was among them. Never rejects.
   */
  async #read(turnId: TurnId, frames: StreamFrame[]): Promise<void> {
    const { turns, clock, log, stopping } = this.#context;
    this.#reading.set(turnId, frames);
    do {
      try {
        const partial = await turns.partial(turnId);
        if (partial !== undefined) this.#repair(partial, frames);
      } catch (error) {
        log.debug({ turnId, error }, "a reply's partial could not be read");
      }
      await clock.sleep(partialPauseMs, stopping).catch(() => undefined);
    } while (!stopping.aborted && this.#replyOf(turnId)?.text.hasGap);
    this.#reading.delete(turnId);
  }

  #repair(partial: PartialReply, frames: StreamFrame[]): void {
    const { turnId, route: conversation, replyTo, state } = partial;
    const isOurs = conversation.accountId === this.#context.accountId;
    if (!isOurs || state !== "running" || this.#told.has(turnId) || this.#context.stopping.aborted) return;
    if (this.#replyOf(turnId) === undefined)
      this.#grow({ turnId, conversation, ...(replyTo === undefined ? {} : { replyTo }) });
    const lane = this.#laneOf.get(turnId);
    for (const frame of frames) lane?.frame(frame);
    lane?.repair(partial);
  }

  #hasRoom(): boolean {
    return this.#lanes.replyCount + this.#reading.size < maxReplies;
  }
}
