import type { Ruler } from "@talaria/markdown";
import type { Conversation, GatewayError, StreamFrame, TurnId } from "@talaria/protocol";
import type { PartialReply } from "@talaria/store";
import { english } from "@talaria/words";
import { type Activity, changesInMs, lineOf } from "./activity.ts";
import { GrowingText } from "./growing-text.ts";
import type { Message } from "./reply-message.ts";
import { askedPauseMs } from "./retry-delay.ts";

/** Where a reply goes, according to its first frame or its partial. */
export type ReplyPlace = Pick<PartialReply, "turnId" | "replyTo"> & { readonly conversation: Conversation };

/** What people see of it: text, and a line below that says what is done. */
export interface Shown {
  readonly text: string;
  readonly line?: string | undefined;
}

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
  #shown: Shown = { text: "" };
  #activity: Activity | undefined;
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
    if (frame.type === "status") this.#does(frame.label, now);
    else if (frame.type === "delta") this.#activity = undefined;
    else if (frame.type === "ended" && frame.status === "suspended")
      this.#activity = { label: frame.label ?? english.workLines.waiting };
  }

  /** Its final text has arrived, or it must no longer be shown. */
  close(): void {
    this.#isClosed = true;
  }

  /** It can't be shown while it grows, though it is still being written. */
  hide(): void {
    this.#isHidden = true;
  }

  /** What is shown says what is done, and nothing of the answer. */
  get isActivity(): boolean {
    return this.#shown.line !== undefined && this.#shown.text.trim() === "";
  }

  /** What its turn does now, while it writes nothing. */
  get doing(): string | undefined {
    return this.#activity?.label;
  }

  isTyping(now: number): boolean {
    return !this.#isClosed && this.#endedAs === undefined && now - this.#lastFrameAt < aliveMs;
  }

  /**
   * Milliseconds until a snapshot may be shown, 0 for now; undefined if only news can change that. `withActivity`: a line below it
   * says what is done.
   */
  waitMs(now: number, withActivity: boolean): number | undefined {
    const { text, hasGap } = this.text;
    if (this.#isClosed || this.#isHidden || !this.isClear || hasGap) return undefined;
    if (this.#endedAs !== undefined && !this.#isToldWhy(now)) return undefined;
    const pauseMs = Math.max(0, this.#nextAt - now);
    const isNew = text.trim() !== "" && text !== this.#shown.text;
    if (isNew) return pauseMs;
    if (!withActivity || this.#activity === undefined) return undefined;
    const line = this.activityLine(now);
    const isDue = line !== undefined && line !== this.#shown.line;
    return Math.max(pauseMs, isDue ? 0 : changesInMs(this.#activity, now));
  }

  /** What its turn does now, for people. */
  activityLine(now: number): string | undefined {
    return this.#activity && lineOf(this.#activity, now, this.#shown.line !== undefined);
  }

  /** It is no longer being written: its turn ended without a text, or its frames stopped. */
  isOver(now: number): boolean {
    const silentMs = now - this.#lastFrameAt;
    const hasNoText = this.#endedAs !== undefined && this.#endedAs !== "completed";
    const endedMs = this.#isToldWhy(now) ? aliveMs : endedForMs;
    return silentMs >= forgottenAfterMs || (hasNoText && this.isClear && silentMs > endedMs);
  }

  /** A snapshot was shown; the next one may follow after `pauseMs`. */
  shown(what: Shown, now: number, pauseMs: number): void {
    this.#shown = what;
    this.#failures = 0;
    this.#nextAt = now + pauseMs;
  }

  failed(error: GatewayError, now: number, pauseMs: number): void {
    if (error.code !== "rate_limited") this.#failures += 1;
    if (this.#failures >= maxFailures) this.hide();
    this.#nextAt = now + (error.code === "rate_limited" ? Math.max(pauseMs, askedPauseMs(error)) : pauseMs);
  }

  /** A turn that waits has ended for now, and what it said it did last stands there: that it waits takes its place. */
  #isToldWhy(now: number): boolean {
    return (
      this.#endedAs === "suspended" && this.#shown.line !== undefined && this.activityLine(now) !== this.#shown.line
    );
  }

  #does(label: string, now: number): void {
    if (this.#activity?.label !== label) this.#activity = { label, since: now };
  }
}
