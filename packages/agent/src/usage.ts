import { estimateTokens } from "./context/estimate-tokens.ts";
import { imageTokens } from "./context/tokens-of.ts";
import type { ModelMessage, ModelRequest, ModelUsage } from "./model.ts";

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

function textsOf(message: ModelMessage): readonly string[] {
  const calls = message.role === "assistant" ? message.toolCalls.map((call) => call.arguments) : [];
  return [message.content, ...calls];
}

function imagesIn(message: ModelMessage): number {
  return message.role === "user" ? (message.images?.length ?? 0) : 0;
}
