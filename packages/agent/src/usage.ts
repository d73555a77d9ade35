import { costOf } from "./cost.ts";
import { estimateTokens, imageTokens } from "./history.ts";
import type { AskedModel, ModelMessage, ModelRequest, ModelUsage } from "./model.ts";

/** What the journal keeps of an answer's usage. */
export interface CountedUsage extends ModelUsage {
  /** Its name in the configuration. */
  readonly model?: string;
  readonly provider?: string;
  /** In millionths of the operator's currency. Absent: the price is unknown. */
  readonly cost?: number;
}

/** The usage of one answer, with who gave it and what it costs. */
export function countUsage(usage: ModelUsage, asked: AskedModel | undefined): CountedUsage {
  if (asked === undefined) return usage;
  const { name: model, provider, price } = asked;
  return { ...usage, model, provider, ...(price === undefined ? {} : { cost: costOf(usage, price) }) };
}

/**
 * What an answer has cost that its provider did not count: because it never does, or because the answer was cut short
 * before its end, where the counts come. A careful guess, so that what is spent unseen still counts against limits.
 */
export function estimateUsage(request: ModelRequest, outputTokens: number): ModelUsage {
  const texts = [request.system, JSON.stringify(request.tools), ...request.messages.flatMap(textsOf)];
  const images = request.messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return {
    inputTokens: texts.reduce((sum, text) => sum + estimateTokens(text), images * imageTokens),
    cachedTokens: 0,
    outputTokens,
    reasoningTokens: 0,
  };
}

/** What two answers cost together, under the name of the second. The price is known when it is for both. */
export function sumUsage(first: CountedUsage, { cost, ...second }: CountedUsage): CountedUsage {
  const written = (first.cacheWriteTokens ?? 0) + (second.cacheWriteTokens ?? 0);
  return {
    ...second,
    inputTokens: first.inputTokens + second.inputTokens,
    cachedTokens: first.cachedTokens + second.cachedTokens,
    ...(written === 0 ? {} : { cacheWriteTokens: written }),
    outputTokens: first.outputTokens + second.outputTokens,
    reasoningTokens: first.reasoningTokens + second.reasoningTokens,
    ...(first.cost === undefined || cost === undefined ? {} : { cost: first.cost + cost }),
  };
}

function textsOf(message: ModelMessage): readonly string[] {
  const calls = message.role === "assistant" ? message.toolCalls.map((call) => call.arguments) : [];
  return [message.content, ...calls];
}

function imagesIn(message: ModelMessage): number {
  return message.role === "user" ? (message.images?.length ?? 0) : 0;
}
