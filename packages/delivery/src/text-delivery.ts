import {
  type ErrorCode,
  type GatewayError,
  instantOf,
  isGatewayError,
  type MessageId,
  type TurnId,
} from "@talaria/protocol";
import type { OutboxRow, OutboxUpdate } from "@talaria/store";
import { afterFailure, type Decision, mostRepeats } from "./after-failure.ts";
import { ask, type FailureReason, type Steps } from "./lane-io.ts";
import { lastFailure } from "./last-failure.ts";
import { keyOfPart, messageOf, withoutFiles } from "./parts.ts";
import { nothingKnown } from "./place.ts";
import { replacedMessage, saysNothingMore } from "./replaced-notice.ts";
import {
  afterCall,
  begun,
  type Call,
  type Goal,
  isInDoubt,
  isPost,
  isShown,
  type Message,
  messageOfPart,
  nextStep,
  previewKey,
  storedPreview,
} from "./reply-message.ts";
import { saidIn } from "./row-words.ts";
import { saysSentAgain } from "./sent-again.ts";
import { type PreviewMessage, takeAway, withoutActivity } from "./take-away.ts";
import { TextParts } from "./text-parts.ts";
import { undelivered } from "./undelivered.ts";

/** The text is sent or given up, or it is due again later and its lane waits for it. */
export type TextResult = "finished" | { readonly retryInMs: number };

/**
 * Brings one text to its conversation, part by part. The intent to post is stored before each call and its result
 * after it, so that whoever takes over after a crash knows which call has an unknown outcome. Such a call is repeated
 * where the platform recognises it; elsewhere once the platform seems to work, and marked.
 */
export class TextDelivery {
  /** Names a person only where the platform can show it to them alone. */
  #row: OutboxRow;
  readonly #preview: PreviewMessage;
  #facts = nothingKnown;
  #parts: TextParts;
  /** The message of the first part that has not been sent. */
  #message: Message = { state: "none" };
  /** The part whose token is taken and whose intent is stored. */
  #begun: number | undefined;

  constructor(row: OutboxRow, preview: PreviewMessage) {
    this.#row = row;
    this.#preview = preview;
    this.#parts = new TextParts(row.parts ?? []);
  }

  /** A text for which the adapter throws outside its calls is given up: it would throw again. */
  *run(): Steps<TextResult> {
    try {
      this.#facts = yield* ask((io) => io.facts());
      if (!this.#facts.whispers) this.#row = forEverybody(this.#row);
      if (saysNothingMore(this.#row, this.#facts)) return yield* this.#finish("sent");
      return yield* this.#deliver();
    } catch (error) {
      if (error instanceof Withdrawn) return yield* this.#withhold();
      if (isGatewayError(error)) throw error;
      const news = { type: "broke", about: this.#row, error } as const;
      yield* ask((io) => io.tell(news));
      return yield* this.#finish("failed", "internal");
    }
  }

  *#deliver(): Steps<TextResult> {
    const { kind, turnId, asked } = this.#row;
    const answered = kind === "reply" ? turnId : undefined;
    let preview: Message =
      answered === undefined ? yield* replacedMessage(this.#row, this.#facts) : this.#previewOf(answered);
    if (this.#row.isWithheld) return yield* this.#withhold();
    if (answered !== undefined && !(yield* ask((io) => io.mayAnswer(answered, asked))))
      return yield* this.#refuse(preview);
    if (answered !== undefined && this.#row.parts === undefined)
      preview = yield* withoutActivity(answered, preview, this.#preview, this.#facts);
    if (this.#row.parts === undefined) yield* this.#split(preview);
    for (let index = 0, open = -1; index < this.#parts.all.length; ) {
      if (this.#parts.at(index).state === "sent") index += 1;
      else {
        if (open !== index) this.#message = this.#messageAt(index, preview);
        open = index;
        const result = yield* this.#write(index);
        if (result !== undefined) return result;
      }
    }
    return "finished";
  }

  /** What this gateway knows of the preview, or what is stored of it. */
  #previewOf(turnId: TurnId): Message {
    const { message } = this.#preview;
    const isOther = message !== undefined && isInDoubt(message) && message.key !== previewKey(turnId);
    return message === undefined || isOther ? storedPreview(turnId, this.#row.preview) : message;
  }

  /** Where the message of part `index` stands before anything is done about it. */
  #messageAt(index: number, preview: Message): Message {
    if (index === this.#begun) return { state: "none" };
    const shown: Message = index === 0 ? preview : { state: "none" };
    return messageOfPart(this.#parts.at(index), keyOfPart(this.#row, index), shown, this.#facts);
  }

  /** Nothing more of the text goes out, and what was shown of it is taken away where that works. */
  *#refuse(preview: Message): Steps<TextResult> {
    yield* takeAway(preview, this.#facts);
    const open = this.#parts.all.findIndex(({ state }) => state !== "sent");
    return yield* open === -1 ? this.#finish("failed", "not_allowed") : this.#giveUp(open, "not_allowed");
  }

  /** What is shown of a text that nobody is to read any more is taken away where that works. */
  *#withhold(): Steps<TextResult> {
    const { kind, turnId } = this.#row;
    if (kind === "reply" && turnId !== undefined) {
      if (yield* takeAway(this.#previewOf(turnId), this.#facts)) yield* ask((io) => io.forgetPreview(turnId));
      yield* this.#save({ state: "withdrawn" });
    }
    yield* ask((io) => io.tell({ type: "withheld", row: this.#row }));
    return "finished";
  }

  *#split(preview: Message): Steps<void> {
    const parts = yield* ask((io) => io.split(this.#row, isShown(preview, this.#facts)));
    this.#parts = new TextParts(parts);
  }

  /** One call for one part. Undefined: look at the parts again. */
  *#write(index: number): Steps<TextResult | undefined> {
    const goal: Goal = { message: messageOf(this.#row, this.#parts.at(index), index), isFinal: true };
    const at = this.#message;
    const step = nextStep(at, goal, this.#facts);
    if (step.kind === "done") return yield* this.#confirm(index, step.messageId);
    if (step.kind === "doubt") return yield* this.#doubt(index);
    const { call } = step;
    if (this.#begun !== index) yield* this.#begin(index, call);
    this.#begun = undefined;
    this.#moved(index, begun(at, call));
    const answer = yield* ask((io) => io.call(call));
    this.#moved(index, afterCall(at, call, answer, goal.message.deliveryKey));
    if (answer.error !== undefined) return yield* this.#fail(index, call, answer.error);
    if (this.#message.state === "posted") yield* this.#found(this.#message.messageId);
    return undefined;
  }

  /** The preview was found by its key. Its id is stored at once, because platforms recognise a key only for some minutes. */
  *#found(messageId: MessageId): Steps<void> {
    const { turnId } = this.#row;
    if (turnId !== undefined) yield* ask((io) => io.savePreview(turnId, { state: "posted", messageId }));
  }

  /** Takes a token and stores the intent to post. An edit is safe to repeat; it is asked about where a stop can't know its message. */
  *#begin(index: number, call: Call): Steps<void> {
    // It takes no token if nobody is to be asked any more.
    if (isQuestion(this.#row)) yield* this.#save({ state: "pending" });
    yield* ask((io) => io.pace());
    if (call.kind === "find") return;
    this.#parts.change(index, { state: isPost(call) ? "sending" : "pending" }, 1);
    const isUnseen = this.#row.kind === "reply" && call.kind === "edit" && this.#row.preview === undefined;
    if (isPost(call) || isUnseen) yield* this.#save({ state: "pending" });
  }

  /**
   * Nobody can tell what became of a call: it is made again when the platform seems to work, and the part is marked. What only
   * one person sees is not repeated: nobody could take the superfluous one away.
   */
  *#doubt(index: number): Steps<TextResult | undefined> {
    const { unknown } = this.#parts.at(index);
    if (unknown >= mostRepeats || this.#row.privateTo !== undefined)
      return yield* this.#giveUp(index, "unknown_outcome");
    const isPreview = isInDoubt(this.#message) && this.#message.key !== keyOfPart(this.#row, index);
    if (isPreview) yield* ask((io) => io.tell({ type: "doubtful" }));
    else {
      const retryInMs = yield* ask((io) => io.repeatInMs(unknown));
      if (retryInMs > 0) {
        yield* this.#save({ state: "pending", retryInMs });
        return { retryInMs };
      }
    }
    this.#parts.change(index, { unknown: unknown + 1 });
    if (!isPreview) yield* this.#mark(index);
    // The preview stays in doubt until the mark is stored.
    this.#message = { state: "none" };
    return undefined;
  }

  /** Where the platform can't tell either, people read that the part may stand there twice. */
  *#mark(index: number): Steps<void> {
    const { recognises, finds } = this.#facts;
    if (recognises || finds || saysSentAgain(this.#parts.all, index, saidIn(this.#row))) return;
    const part = this.#parts.at(index);
    this.#parts.replace(index, yield* ask((io) => io.sentAgain(part, saidIn(this.#row))));
  }

  /** Stores the message's id and, when nothing makes it wait, the intent for the next part: one update. */
  *#confirm(index: number, messageId: MessageId): Steps<TextResult | undefined> {
    this.#parts.sent(index, messageId);
    yield* ask((io) => io.tell({ type: "delivered" }));
    const next = index + 1;
    if (next === this.#parts.all.length) return yield* this.#finish("sent");
    if (yield* ask((io) => io.paceNow())) {
      this.#parts.change(next, { state: "sending" }, 1);
      this.#begun = next;
    }
    yield* this.#save({ state: "pending" });
    return undefined;
  }

  *#fail(index: number, call: Call, error: GatewayError): Steps<TextResult | undefined> {
    const decision = yield* this.#decide(index, call, error);
    const row = this.#row;
    yield* ask((io) => io.tell({ type: "call-failed", row, error, next: decision.kind }));
    if (decision.kind === "retry" || decision.kind === "rate-limited") {
      const now = instantOf(yield* ask((io) => io.now()));
      this.#parts.change(index, { lastFailure: lastFailure(error, now, this.#parts.at(index)) });
      return yield* this.#later(index, call, decision);
    }
    if (call.kind === "find") return yield* this.#doubt(index);
    const part = this.#parts.at(index);
    switch (decision.kind) {
      case "post-anew":
        return yield* this.#postAnew(index, error.code);
      case "split-smaller": {
        const smaller = yield* ask((io) => io.splitSmaller(part, saidIn(this.#row)));
        if (smaller.length < 2 && part.attachments.length === 0) return yield* this.#giveUp(index, error.code);
        this.#parts.replace(index, smaller);
        return undefined;
      }
      case "give-up":
        if (part.attachments.length === 0 || error.effect !== "none")
          return yield* this.#giveUp(index, decision.reason);
        this.#parts.replace(index, withoutFiles(part, saidIn(row).rejected, saidIn(row)));
        return undefined;
      default:
        return decision satisfies never;
    }
  }

  *#decide(index: number, call: Call, error: GatewayError): Steps<Decision> {
    const elapsed = yield* ask((io) => io.elapsed());
    const random = yield* ask((io) => io.random());
    const ageMs = elapsed - this.#row.committedAt;
    const { recognises } = this.#facts;
    const was = { wasEdit: call.kind === "edit", wasFind: call.kind === "find" };
    return afterFailure(error, { part: this.#parts.at(index), ...was, recognises, ageMs }, () => random);
  }

  *#later(
    index: number,
    call: Call,
    decision: Extract<Decision, { kind: "retry" | "rate-limited" }>,
  ): Steps<TextResult> {
    const isLimited = decision.kind === "rate-limited";
    if (!isLimited && decision.unknown) yield* ask((io) => io.tell({ type: "doubtful" }));
    const state = isInDoubt(this.#message) ? "sending" : "pending";
    this.#parts.change(index, { state }, attemptsOf(call, isLimited));
    yield* this.#save({ state: "pending", retryInMs: decision.waitMs });
    return { retryInMs: decision.waitMs };
  }

  /** The preview can no longer be edited and gives way to a message with its own key. */
  *#postAnew(index: number, code: ErrorCode): Steps<undefined> {
    const { turnId } = this.#row;
    if (code !== "not_found") yield* takeAway(this.#message, this.#facts);
    if (turnId !== undefined) yield* ask((io) => io.forgetPreview(turnId));
    this.#moved(index, { state: "none" });
    this.#parts.change(index, { state: "pending" });
  }

  *#giveUp(index: number, error: ErrorCode | FailureReason): Steps<TextResult> {
    this.#parts.change(index, { state: "failed", error });
    return yield* this.#finish("failed", error);
  }

  *#finish(state: "sent" | "failed", error?: ErrorCode | FailureReason): Steps<TextResult> {
    const notice = error === undefined ? undefined : undelivered(this.#row, error);
    if (notice !== undefined) yield* ask((io) => io.addText(notice));
    yield* this.#save(error === undefined ? { state } : { state, error });
    const news = { type: "finished", row: this.#row, ...(error === undefined ? {} : { error }) } as const;
    yield* ask((io) => io.tell(news));
    return "finished";
  }

  *#save(update: Pick<OutboxUpdate, "state" | "retryInMs" | "error">): Steps<void> {
    const whole = { id: this.#row.id, parts: this.#parts.all, ...update };
    const outcome = yield* ask((io) => io.saveRow(whole));
    if (outcome === "withdrawn" && update.state === "pending") throw new Withdrawn();
  }

  /**
   * The preview of a reply is the message of its first part. Until the store knows that it is final it may be asked to
   * say something else: the text is split again when the store refused what was split before.
   */
  #moved(index: number, message: Message): void {
    this.#message = message;
    if (index !== 0) return;
    const { markdown: shown } = this.#parts.at(0);
    const isFinal = message.state === "final";
    this.#preview.message = isFinal ? { state: "posted", messageId: message.messageId, shown } : message;
  }
}

/** A call that was turned away does not count, and a question counts only in vain: the pauses between questions grow, too. */
function attemptsOf({ kind }: Call, isLimited: boolean): number {
  if (kind === "find") return isLimited ? 0 : 1;
  return isLimited ? -1 : 0;
}

/** Somebody has ended what the text asks for. */
class Withdrawn extends Error {}

function isQuestion({ deliveryKey }: OutboxRow): boolean {
  return deliveryKey.startsWith("ask:");
}

function forEverybody({ privateTo: _, ...row }: OutboxRow): OutboxRow {
  return row;
}
