import type { GatewayError } from "@talaria/protocol";
import type { OutboxPart, OutboxRow, ShownQuestion } from "@talaria/store";
import { afterFailure } from "./after-failure.ts";
import { waitingChoices } from "./closed-text.ts";
import { ask, type Steps } from "./lane-io.ts";
import { saidIn } from "./row-words.ts";
import { TextDelivery, type TextResult } from "./text-delivery.ts";

const untried: OutboxPart = { markdown: "", attachments: [], state: "pending", attempts: 0, unknown: 0 };

/**
 * Changes the message that shows a question, so that it says how that ended and what was decided can't be pressed any more. What is to
 * be said is read now: saying it twice changes nothing, so a call with an unknown outcome is repeated. Where nothing can be changed,
 * people read in a message of its own what the rules forbid by now, and nothing else: they may count on it.
 */
export function* closeQuestion(row: OutboxRow): Steps<TextResult> {
  const { closes } = row;
  if (row.leaves) return yield* leave(row);
  const { closes: canClose, choicesByPlace } = yield* ask((io) => io.facts());
  const question = closes === undefined ? undefined : yield* ask((io) => io.question(closes));
  if (question !== undefined && !canClose) return yield* tellForbidden(row, question);
  if (question === undefined || saysNothingNew(question)) return yield* finish(row, "sent");
  // One edit shows all that is decided by now.
  if (question.newestClosing !== undefined && question.newestClosing > row.id) return yield* finish(row, "sent");
  const error = yield* change(row, question, choicesByPlace);
  if (error === undefined || error.code === "not_found") return yield* finish(row, "sent");
  return yield* failed(row, error);
}

/** Leaving twice changes nothing. */
function* leave(row: OutboxRow): Steps<TextResult> {
  yield* ask((io) => io.pace());
  const { error } = yield* ask((io) => io.call({ kind: "leave", isFinal: true }));
  const isOut = error === undefined || error.code === "not_found" || error.code === "forbidden";
  return isOut ? yield* finish(row, "sent") : yield* failed(row, error);
}

function* tellForbidden(row: OutboxRow, { outcomes }: ShownQuestion): Steps<TextResult> {
  const [, callId] = row.deliveryKey.split(":");
  const shown = outcomes.find(({ id, isByRule }) => isByRule && id === callId)?.notDone;
  if (shown === undefined) return yield* finish(row, "sent");
  return yield* new TextDelivery({ ...row, markdown: saidIn(row).forbidden(shown) }, { message: undefined }).run();
}

function saysNothingNew({ outcomes, askedSince }: ShownQuestion): boolean {
  return askedSince !== true && outcomes.every(({ settlement }) => settlement === undefined);
}

function* change(row: OutboxRow, question: ShownQuestion, choicesByPlace: boolean): Steps<GatewayError | undefined> {
  const { conversation, deliveryKey } = row;
  const isShort = partOf(row).error === "too_large";
  const markdown = yield* ask((io) => io.closed(question, isShort, saidIn(row)));
  const choices = waitingChoices(question, choicesByPlace);
  const message = {
    ...{ deliveryKey, conversation, markdown, attachments: [] },
    ...(choices.length === 0 ? {} : { choices }),
  };
  yield* ask((io) => io.pace());
  const call = { kind: "close", messageId: question.messageId, message, isFinal: true } as const;
  const { error } = yield* ask((io) => io.call(call));
  return error;
}

function* failed(row: OutboxRow, error: GatewayError): Steps<TextResult> {
  const part = partOf(row);
  const [elapsed, random] = [yield* ask((io) => io.elapsed()), yield* ask((io) => io.random())];
  const ageMs = elapsed - row.committedAt;
  const decision = afterFailure(error, { part, wasEdit: true, wasFind: false, recognises: false, ageMs }, () => random);
  yield* ask((io) => io.tell({ type: "call-failed", row, error, next: decision.kind }));
  switch (decision.kind) {
    case "retry":
    case "rate-limited":
      return yield* later(row, { attempts: part.attempts + (decision.kind === "retry" ? 1 : 0) }, decision.waitMs);
    case "split-smaller":
      return yield* later(row, { error: "too_large" }, 0);
    case "post-anew":
    case "give-up":
      yield* ask((io) => io.tell({ type: "finished", row, error: error.code }));
      return yield* finish(row, "failed", error.code);
    default:
      return decision satisfies never;
  }
}

function* later(row: OutboxRow, change: Partial<OutboxPart>, retryInMs: number): Steps<TextResult> {
  const parts = [{ ...partOf(row), ...change }];
  yield* ask((io) => io.saveRow({ id: row.id, state: "pending", parts, retryInMs }));
  return { retryInMs };
}

function* finish(row: OutboxRow, state: "sent" | "failed", error?: string): Steps<TextResult> {
  const parts = [{ ...partOf(row), state }];
  yield* ask((io) => io.saveRow({ id: row.id, state, parts, ...(error === undefined ? {} : { error }) }));
  return "finished";
}

function partOf({ parts = [] }: OutboxRow): OutboxPart {
  return parts[0] ?? untried;
}
