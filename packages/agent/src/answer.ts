import type { AssistantEntry } from "./journal.ts";
import type { ModelDone, ModelPort, ModelRequest } from "./model.ts";
import type { TurnFailureCode } from "./notices.ts";
import { ReplyText, shownText } from "./reply-text.ts";
import { cutEnd, storable, storableJson } from "./text.ts";
import type { TurnEvent } from "./turn-event.ts";
import { untilAborted } from "./until-aborted.ts";

const attemptsForText = 2;

/** What came of asking the model. `partial`: what it had said before it was stopped. */
export type Answer =
  | { readonly status: "answered"; readonly entry: AssistantEntry }
  | { readonly status: "aborted"; readonly partial: string }
  | { readonly status: "failed"; readonly code: TurnFailureCode; readonly reason: string };

export interface AnswerSettings {
  readonly model: ModelPort;
  readonly signal: AbortSignal;
  /** The reply before this answer, already shown. */
  readonly earlier: string;
  /** Ends the answer as if by the model's own length limit. */
  readonly maxChars: number;
}

/** Asks the model for its next answer and shows it while it grows. An empty answer is asked for once more. */
export async function* askModel(request: ModelRequest, settings: AnswerSettings): AsyncGenerator<TurnEvent, Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = yield* readAnswer(request, settings);
    const isEmpty = answer.status === "failed" && answer.code === "empty_answer";
    if (!isEmpty || attempt === attemptsForText) return answer;
  }
}

async function* readAnswer(
  request: ModelRequest,
  { model, signal, earlier, maxChars }: AnswerSettings,
): AsyncGenerator<TurnEvent, Answer> {
  const reply = new ReplyText(earlier);
  let thinking = false;
  for await (const event of untilAborted(model.stream(request, signal), signal)) {
    switch (event.type) {
      case "delta":
        yield* reply.add(event.text);
        if (reply.answer.length > maxChars) return yield* settle(reply, cutOff(reply.answer, maxChars));
        break;
      case "reasoning":
        if (!thinking && reply.answer === "") yield { type: "status", label: "thinking" };
        thinking = true;
        break;
      case "restart":
        yield* reply.restart();
        break;
      case "done":
        return yield* settle(
          reply,
          event.message.content.length > maxChars ? cutOff(event.message.content, maxChars, event) : toEntry(event),
        );
      case "failed":
        if (event.error.kind === "aborted") return { status: "aborted", partial: reply.answer };
        return { status: "failed", code: event.error.kind, reason: event.error.message };
      default:
        event satisfies never;
    }
  }
  return { status: "aborted", partial: reply.answer };
}

function* settle(reply: ReplyText, entry: AssistantEntry): Generator<TurnEvent, Answer> {
  if (entry.content.trim() === "" && entry.toolCalls.length === 0) {
    yield* reply.restart();
    return entry.stop === "refusal"
      ? { status: "failed", code: "refusal", reason: "the model declined to answer" }
      : { status: "failed", code: "empty_answer", reason: "the answer was empty" };
  }
  yield* reply.settle(shownText(entry));
  return { status: "answered", entry };
}

function toEntry({ message, stop, usage, servedBy }: ModelDone): AssistantEntry {
  const { role: _, ...said } = storableJson(message);
  return { kind: "assistant", ...said, model: storable(servedBy), stop, ...(usage && { usage }) };
}

function cutOff(content: string, maxChars: number, done?: ModelDone): AssistantEntry {
  return {
    kind: "assistant",
    content: storable(cutEnd(content, maxChars)),
    toolCalls: [],
    model: done?.servedBy ?? "",
    stop: "max_tokens",
    ...(done?.usage && { usage: done.usage }),
  };
}
