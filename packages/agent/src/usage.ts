import { estimateTokens } from "./context/estimate-tokens.ts";
import { imageTokens } from "./context/tokens-of.ts";
import type { ModelMessage, ModelRequest, ModelUsage } from "./model.ts";

/** A tokenizer that knows a script badly counts so many times our guess. */
const mostTimes = 10;
/** What a server may count that nobody here sees: what it has searched, and what it has thought. */
const mostUnseen = { input: 100_000, output: 200_000 };

/**
 * What an answer has cost that its provider did not count: because it never does, or because the answer was cut short
 * before its end, where the counts come. A careful guess, so that what is spent unseen still counts against limits.
 */
export function estimateUsage(request: ModelRequest, outputTokens: number): ModelUsage {
  return {
    inputTokens: request.estimatedTokens ?? estimateInput(request),
    cachedTokens: 0,
    outputTokens,
    reasoningTokens: 0,
  };
}

function estimateInput({ system, tools, messages }: ModelRequest): number {
  const texts = [system, JSON.stringify(tools), ...messages.flatMap(textsOf)];
  const images = messages.reduce((sum, message) => sum + imagesIn(message), 0);
  return texts.reduce((sum, text) => sum + estimateTokens(text), images * imageTokens);
}

/** What a server has counted, and a guess in place of what it can't have: nothing at all, or far more than it was asked and has said. */
export function credibleUsage(counted: ModelUsage | undefined, guess: ModelUsage): ModelUsage {
  if (counted === undefined) return guess;
  const isInput = isCredible(counted.inputTokens, guess.inputTokens, mostUnseen.input);
  const isOutput = isCredible(counted.outputTokens, guess.outputTokens, mostUnseen.output);
  if (isInput && isOutput) return counted;
  const { cacheWriteTokens } = counted;
  return {
    inputTokens: isInput ? counted.inputTokens : guess.inputTokens,
    cachedTokens: isInput ? counted.cachedTokens : 0,
    ...(isInput && cacheWriteTokens !== undefined ? { cacheWriteTokens } : {}),
    outputTokens: isOutput ? counted.outputTokens : guess.outputTokens,
    reasoningTokens: isOutput ? counted.reasoningTokens : 0,
  };
}

/** Nothing is a count only where there was nothing to count. */
function isCredible(counted: number, guess: number, unseen: number): boolean {
  if (!Number.isFinite(counted) || counted < 0 || (counted === 0 && guess > 0)) return false;
  return counted <= guess * mostTimes + unseen;
}

function textsOf(message: ModelMessage): readonly string[] {
  const calls = message.role === "assistant" ? message.toolCalls.map((call) => call.arguments) : [];
  return [message.content, ...calls];
}

function imagesIn(message: ModelMessage): number {
  return message.role === "user" ? (message.images?.length ?? 0) : 0;
}
