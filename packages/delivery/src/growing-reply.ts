import type { Ruler } from "@talaria/markdown";
import type { Conversation, GatewayError, StreamFrame, TurnId } from "@talaria/protocol";
import type { PartialReply } from "@talaria/store";
import { GrowingText } from "./growing-text.ts";
import type { Message } from "./reply-message.ts";
import { askedPauseMs } from "./retry-delay.ts";

/** Where a reply goes, according to its first frame or its partial. */
export type ReplyPlace = Pick<PartialReply, "turnId" | "replyTo"> & { readonly conversation: Conversation };

const maxFailures = 3;
/** Without frames for this long the worker counts as dead, and nobody is typing. */
const aliveMs = 30_000;
/** Without frames for this long a preview is forgotten. */
const forgottenAfterMs = 10 * 60_000;
/** An aborted or failed turn whose text has not arrived by then has none. */
const endedForMs = 5_000;

/**
 * One reply that is being written: its text so far, and where its message stands. Showing it is never necessary: a failed
 * update costs a frame, and the final text comes from the outbox.
 */
export class GrowingReply {
  readonly place: ReplyPlace;
  readonly text = new GrowingText();
  /** Undefined until the store has said what earlier gateways have shown. */
  message: Message | undefined;
  /** Remembers measurements of this text, which makes the next one cheaper. */
  ruler: Ruler | undefined;
  /** Everything before it in its conversation has been sent. */
  isClear = false;
  #lastFrameAt: number;
  #endedAs: Extract<StreamFrame, { type: "ended" }>["status"] | undefined;
  #isClosed = false;
  #isHidden = false;
  #shown = "";
  #nextAt = 0;
  #failures = 0;

  constructor(place: ReplyPlace, now: number) {
    this.place = place;
    this.#lastFrameAt = now;
  }

  get turnId(): TurnId {
    return this.place.turnId;
  }

  frame(frame: StreamFrame, now: number): void {
    if (!this.text.apply(frame)) return;
    this.#lastFrameAt = now;
    this.#endedAs = frame.type === "ended" ? frame.status : undefined;
  }

  /** Its final text has arrived, or it must no longer be shown. */
  close(): void {
    this.#isClosed = true;
  }

  /** It can't be shown while it grows, though it is still being written. */
  hide(): void {
    this.#isHidden = true;
  }

  isTyping(now: number): boolean {
    return !this.#isClosed && this.#endedAs === undefined && now - this.#lastFrameAt < aliveMs;
  }

  /** Milliseconds until a snapshot may be shown, 0 for now; undefined if only news can change that. */
  waitMs(now: number): number | undefined {
    const { text, hasGap } = this.text;
    if (this.#isClosed || this.#isHidden || !this.isClear || this.#endedAs !== undefined) return undefined;
    if (hasGap || text === this.#shown || text.trim() === "") return undefined;
    return Math.max(0, this.#nextAt - now);
  }

  /** It is no longer being written: its turn ended without a text, or its frames stopped. */
  isOver(now: number): boolean {
    const silentMs = now - this.#lastFrameAt;
    const hasNoText = this.#endedAs === "aborted" || this.#endedAs === "failed";
    return silentMs >= forgottenAfterMs || (hasNoText && this.isClear && silentMs > endedForMs);
  }

  /** A snapshot was shown; the next one may follow after `pauseMs`. */
  shown(text: string, now: number, pauseMs: number): void {
    this.#shown = text;
    this.#failures = 0;
    this.#nextAt = now + pauseMs;
  }

  failed(error: GatewayError, now: number, pauseMs: number): void {
    if (error.code !== "rate_limited") this.#failures += 1;
    if (this.#failures >= maxFailures) this.hide();
    this.#nextAt = now + (error.code === "rate_limited" ? Math.max(pauseMs, askedPauseMs(error)) : pauseMs);
  }
}
