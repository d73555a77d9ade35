import type { DeliveryKey, ErrorCode, GatewayError, MessageId, TurnId } from "@talaria/protocol";
import type {
  OutboxOutcome,
  OutboxPart,
  OutboxRow,
  OutboxText,
  OutboxUpdate,
  Preview,
  ShownQuestion,
} from "@talaria/store";
import type { Decision } from "./after-failure.ts";
import type { GrowingReply } from "./growing-reply.ts";
import type { PlaceFacts } from "./place.ts";
import type { Answer, Call } from "./reply-message.ts";
import type { Said } from "./row-words.ts";

type Awaitable<Value> = Value | Promise<Value>;

/** What the steps of a lane report, without waiting for an answer. */
export type News =
  | { readonly type: "previewed" }
  /** A preview or a text could not be made, for a reason that did not come from a platform. */
  | { readonly type: "broke"; readonly about: TurnId | OutboxRow; readonly error: unknown }
  /** A platform confirmed one message of a text. */
  | { readonly type: "delivered" }
  | {
      readonly type: "call-failed";
      readonly row: OutboxRow;
      readonly error: GatewayError;
      readonly next: Decision["kind"];
    }
  /** Nobody knows whether a message arrived. */
  | { readonly type: "doubtful" }
  /** Nobody is to read the text any more: it was not sent. */
  | { readonly type: "withheld"; readonly row: OutboxRow }
  | { readonly type: "finished"; readonly row: OutboxRow; readonly error?: ErrorCode | FailureReason };

/** Why a text was given up although no platform refused it. */
export type FailureReason = "unknown_outcome" | "not_allowed";

/**
 * Everything the steps of one lane ask for. Calls to the store and `pace` reject with a GatewayError when the
 * lane has to end: the account was released or lost, or the store refused. Anything else thrown is an adapter's bug.
 */
export interface LaneIo {
  /** The wall clock, for what people read. */
  now(): number;
  /** The clock that only runs forward, for every wait. */
  elapsed(): number;
  random(): number;
  facts(): PlaceFacts;
  /** Throws when nothing new may begin. */
  begin(): void;
  /** Whether those who asked may still have the answer. */
  mayAnswer(turnId: TurnId, asked: OutboxRow["asked"]): Awaitable<boolean>;
  split(row: OutboxRow, isShown: boolean): Awaitable<readonly OutboxPart[]>;
  splitSmaller(part: OutboxPart, said: Said): Awaitable<readonly OutboxPart[]>;
  /** The end of a growing text, as much as fits into one message, with this line below it. */
  fit(reply: GrowingReply, line: string | undefined): Awaitable<string>;
  /** Waits for a token. */
  pace(): Awaitable<void>;
  /** Takes a token if there is one and something new may begin. */
  paceNow(): boolean;
  /**
   * Takes a token that the final text does not need and returns 0; otherwise returns how many milliseconds to wait before asking again.
   * `isNew`: nothing of the reply is shown yet.
   */
  pacePreview(isNew: boolean): number;
  /**
   * Before a part with an unknown outcome is sent again: 0, or how many milliseconds to wait since the platform does not seem to
   * take messages, or another text tries that now. `repeats`: how often it was sent again.
   */
  repeatInMs(repeats: number): Awaitable<number>;
  /** The part with words that say that it may stand there already. */
  sentAgain(part: OutboxPart, said: Said): Awaitable<readonly OutboxPart[]>;
  /** The message that shows a question, with how the calls stand that it is about. */
  question(deliveryKey: DeliveryKey): Awaitable<ShownQuestion | undefined>;
  /** The message whose place a text takes: see `replaces`. */
  replaced(row: OutboxRow): Awaitable<MessageId | undefined>;
  /** What its message says now. `isShort`: the platform took no longer one. */
  closed(question: ShownQuestion, isShort: boolean, said: Said): Awaitable<string>;
  /** Adds a text to the outbox; one whose key is there already is ignored. */
  addText(text: OutboxText): Awaitable<void>;
  /** `withdrawn`: the text goes out no more. */
  saveRow(update: OutboxUpdate): Awaitable<OutboxOutcome>;
  preview(turnId: TurnId): Awaitable<Preview | undefined>;
  savePreview(turnId: TurnId, preview: Preview): Awaitable<void>;
  forgetPreview(turnId: TurnId): Awaitable<void>;
  /** Never rejects. */
  call(call: Call): Awaitable<Answer>;
  tell(news: News): void;
}

export type Question = (io: LaneIo) => unknown;

/**
 * Steps that ask questions and receive answers. They do no I/O themselves, so the same steps run against store and platform
 * and, hundreds of thousands of times over, against a model of both.
 */
export type Steps<Result> = Generator<Question, Result, never>;

export function* ask<Value>(question: (io: LaneIo) => Awaitable<Value>): Generator<Question, Value, Value> {
  return yield question;
}

/** Runs steps to their end, each answer awaited. */
export async function runSteps<Result>(steps: Steps<Result>, io: LaneIo): Promise<Result> {
  let step = steps.next(undefined as never);
  while (!step.done) {
    let answer: unknown;
    try {
      answer = await step.value(io);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer as never);
  }
  return step.value;
}
