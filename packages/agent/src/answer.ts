import { estimateTokens } from "./context/estimate-tokens.ts";
import { type CountedUsage, countUsage, sumUsage } from "./counted-usage.ts";
import type { AssistantEntry } from "./journal.ts";
import type { AskedModel, AssistantMessage, ModelDone, ModelPort, ModelRequest } from "./model.ts";
import type { TurnFailureCode } from "./notices.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import { ReplyText, shownText } from "./reply-text.ts";
import { cutEnd, storable, storableJson } from "./text.ts";
import type { TurnEvent } from "./turn-event.ts";
import { credibleUsage, estimateUsage } from "./usage.ts";
import type { WorkWords } from "./work-words.ts";

/**
 * What came of asking the model. `partial`: what it had said before it was stopped. `usage`: what it cost, also what was
 * said in vain, by models that others took over from too; estimated where the provider did not count. Absent where nothing was said.
 */
export type Answer =
  | { readonly status: "answered"; readonly entry: AssistantEntry }
  | { readonly status: "aborted"; readonly partial: string; readonly usage: CountedUsage }
  | {
      readonly status: "failed";
      readonly code: TurnFailureCode;
      readonly reason: string;
      readonly usage?: CountedUsage | undefined;
      readonly windowTokens?: number | undefined;
      readonly guessed?: true | undefined;
    };

export interface AnswerSettings {
  readonly model: ModelPort;
  readonly signal: AbortSignal;
  /** What people see before it. The answer takes the place of what is news. */
  readonly text: string;
  readonly earlier: string;
  /** Ends the answer as if by the model's own length limit. */
  readonly maxChars: number;
  readonly words: WorkWords;
  /** An empty answer is as good as any: there is something to send without it. */
  readonly mayBeEmpty?: boolean;
}

/**
 * Asks the model for its next answer and shows it while it grows. In place of an empty answer another one is asked for once, of another
 * model where there is one.
 */
export async function* askModel(request: ModelRequest, settings: AnswerSettings): AsyncGenerator<TurnEvent, Answer> {
  const first = yield* readAnswer(request, settings);
  if (first.status !== "failed" || first.code !== "empty_answer" || settings.mayBeEmpty === true) return first;
  const emptyFrom = first.usage?.model;
  const again = emptyFrom === undefined ? request : { ...request, emptyFrom };
  return withUsage(yield* readAnswer(again, settings), first.usage);
}

function withUsage(answer: Answer, more: CountedUsage | undefined): Answer {
  if (more === undefined) return answer;
  const sum = (usage: CountedUsage | undefined) => (usage === undefined ? more : sumUsage(more, usage));
  if (answer.status !== "answered") return { ...answer, usage: sum(answer.usage) };
  return { ...answer, entry: { ...answer.entry, usage: sum(answer.entry.usage) } };
}

async function* readAnswer(
  request: ModelRequest,
  { model, signal, text, earlier, maxChars, words }: AnswerSettings,
): AsyncGenerator<TurnEvent, Answer> {
  const reply = new ReplyText({ text, earlier });
  let thinking = false;
  let thoughtTokens = 0;
  let asked: AskedModel | undefined;
  let wasted: CountedUsage | undefined;
  const isBegun = () => reply.answer !== "" || thoughtTokens > 0;
  const total = (usage: CountedUsage) => (wasted === undefined ? usage : sumUsage(wasted, usage));
  const spent = () => total(countUsage(estimateUsage(request, thoughtTokens + estimateTokens(reply.answer)), asked));
  const beginAnew = () => {
    if (isBegun()) wasted = spent();
    thoughtTokens = 0;
  };
  for await (const event of readUntilAborted(model.stream(request, signal), signal)) {
    switch (event.type) {
      case "delta":
        yield* reply.add(event.text);
        if (reply.answer.length > maxChars) return yield* settle(reply, cutOff(reply.answer, maxChars, spent()));
        break;
      case "reasoning":
        if (!thinking && reply.answer === "") yield { type: "status", label: words.thinking };
        thinking = true;
        thoughtTokens += estimateTokens(event.text);
        break;
      case "restart":
        beginAnew();
        yield* reply.restart();
        break;
      case "asked":
        beginAnew();
        asked = event.model;
        break;
      case "done": {
        const guess = estimateUsage(request, thoughtTokens + tokensOf(event.message));
        const usage = total(countUsage(credibleUsage(event.usage, guess), asked));
        const { content } = event.message;
        return yield* settle(
          reply,
          content.length > maxChars ? cutOff(content, maxChars, usage, event.servedBy) : toEntry(event, usage),
        );
      }
      case "failed": {
        const { kind: code, message: reason, windowTokens, guessed } = event.error;
        if (code === "aborted") return { status: "aborted", partial: reply.answer, usage: spent() };
        return { status: "failed", code, reason, usage: isBegun() ? spent() : wasted, windowTokens, guessed };
      }
      default:
        event satisfies never;
    }
  }
  return { status: "aborted", partial: reply.answer, usage: spent() };
}

function tokensOf({ content, toolCalls }: AssistantMessage): number {
  return toolCalls.reduce((sum, call) => sum + estimateTokens(call.arguments), estimateTokens(content));
}

function* settle(reply: ReplyText, entry: AssistantEntry): Generator<TurnEvent, Answer> {
  if (entry.content.trim() === "" && entry.toolCalls.length === 0) {
    yield* reply.restart();
    const { usage } = entry;
    return entry.stop === "refusal"
      ? { status: "failed", code: "refusal", reason: "the model declined to answer", usage }
      : { status: "failed", code: "empty_answer", reason: "the answer was empty", usage };
  }
  yield* reply.settle(shownText(entry));
  return { status: "answered", entry };
}

function toEntry({ message, stop, servedBy, usage: counted }: ModelDone, usage: CountedUsage): AssistantEntry {
  const { role: _, ...said } = storableJson(message);
  const taken = counted && { contextTokens: counted.inputTokens };
  return { kind: "assistant", ...said, model: storable(servedBy), stop, usage, ...taken };
}

function cutOff(content: string, maxChars: number, usage: CountedUsage, servedBy = ""): AssistantEntry {
  return {
    kind: "assistant",
    content: storable(cutEnd(content, maxChars)),
    toolCalls: [],
    model: servedBy,
    stop: "max_tokens",
    usage,
  };
}
