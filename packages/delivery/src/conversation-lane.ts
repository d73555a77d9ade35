import { isGatewayError, type StreamFrame, type TurnId } from "@talaria/protocol";
import type { OutboxRow } from "@talaria/store";
import { closeQuestion } from "./close-question.ts";
import { GrowingReply, type ReplyPlace } from "./growing-reply.ts";
import { ask, type Steps } from "./lane-io.ts";
import { showReply } from "./show-reply.ts";
import { TextDelivery } from "./text-delivery.ts";

/** When there is more to do: texts to read from the store again, or a reply to show. Neither: when there is news. */
export interface Pause {
  readonly retryInMs?: number;
  readonly lookInMs?: number;
}

/**
 * One conversation: its texts in order, and the replies that grow in it. Only `work` writes there, one
 * call at a time, texts first. Does no I/O itself.
 */
export class ConversationLane {
  readonly #rows: OutboxRow[] = [];
  readonly #replies = new Map<TurnId, GrowingReply>();
  #isBlocked = false;
  #isCutShort = false;

  get rows(): readonly OutboxRow[] {
    return this.#rows;
  }

  get replies(): Iterable<GrowingReply> {
    return this.#replies.values();
  }

  get replyCount(): number {
    return this.#replies.size;
  }

  /** Holds nothing that a new lane of this conversation would not know. */
  get isIdle(): boolean {
    return this.#rows.length === 0 && !this.#isBlocked && this.#replies.size === 0;
  }

  /** Adds the next text of the conversation. The preview of its reply grows no more. */
  add(row: OutboxRow): void {
    this.#rows.push(row);
    if (row.kind === "reply" && row.turnId !== undefined) this.close(row.turnId);
  }

  reply(turnId: TurnId): GrowingReply | undefined {
    return this.#replies.get(turnId);
  }

  grow(place: ReplyPlace, now: number): GrowingReply {
    const reply = new GrowingReply(place, now);
    this.#replies.set(place.turnId, reply);
    return reply;
  }

  frame(frame: StreamFrame, now: number): void {
    this.#replies.get(frame.turnId)?.frame(frame, now);
  }

  /** Nothing more of this reply is shown until its text comes up. */
  close(turnId: TurnId): void {
    this.#replies.get(turnId)?.close();
  }

  /** There are texts in the store that are not here, so that no reply may be shown before they are read. */
  cutShort(): void {
    this.#isCutShort = true;
  }

  /** Whatever was due when the present replies began is here: they may be shown once it is sent. */
  caughtUp(): void {
    this.#isCutShort = false;
    for (const reply of this.#replies.values()) reply.isClear = true;
  }

  /** Drops replies that are no longer written. */
  forgetOver(now: number): readonly GrowingReply[] {
    const over = [...this.#replies.values()].filter((reply) => reply.isOver(now));
    for (const { turnId } of over) this.#replies.delete(turnId);
    return over;
  }

  /** The texts are read again, in order, when the first is due: nothing may overtake it. */
  letGo(): void {
    this.#rows.length = 0;
    this.#isBlocked = true;
  }

  /** Does what can be done now. Throws what the store or the end of the account throws. */
  *work(): Steps<Pause> {
    for (;;) {
      yield* ask((io) => io.begin());
      const [row] = this.#rows;
      const pause = row === undefined ? yield* this.#showNext() : yield* this.#deliver(row);
      if (pause !== undefined) return pause;
    }
  }

  *#deliver(row: OutboxRow): Steps<Pause | undefined> {
    const reply = row.turnId === undefined ? undefined : this.#replies.get(row.turnId);
    const result =
      row.kind === "closing"
        ? yield* closeQuestion(row)
        : yield* new TextDelivery(row, reply ?? { message: undefined }).run();
    if (result !== "finished") {
      this.letGo();
      return result;
    }
    this.#isBlocked = false;
    this.#rows.shift();
    if (row.kind === "reply" && reply !== undefined) this.#replies.delete(reply.turnId);
    return undefined;
  }

  *#showNext(): Steps<Pause | undefined> {
    if (this.#replies.size === 0) return {};
    const now = yield* ask((io) => io.elapsed());
    const { shows } = yield* ask((io) => io.facts());
    let next: GrowingReply | undefined;
    let lookInMs = Number.POSITIVE_INFINITY;
    for (const reply of this.#replies.values()) {
      const waitMs = this.#isBlocked || this.#isCutShort ? undefined : reply.waitMs(now, shows?.activity === true);
      if (waitMs === undefined || waitMs >= lookInMs) continue;
      lookInMs = waitMs;
      next = reply;
    }
    if (next === undefined) return {};
    const { message } = next;
    const isNew = message === undefined || message.state === "none";
    if (lookInMs === 0) lookInMs = yield* ask((io) => io.pacePreview(isNew));
    if (lookInMs > 0) return { lookInMs };
    yield* this.#show(next);
    return undefined;
  }

  /** A preview for which the adapter throws outside its calls is no longer shown; its reply goes on. */
  *#show(reply: GrowingReply): Steps<void> {
    try {
      yield* showReply(reply);
    } catch (error) {
      if (isGatewayError(error)) throw error;
      reply.hide();
      yield* ask((io) => io.tell({ type: "broke", about: reply.turnId, error }));
    }
  }
}
