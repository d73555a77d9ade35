import { ollamaWindow, showOllama, widenedName, widenOllama } from "@talaria/models";
import { isGatewayError } from "@talaria/protocol";
import type { Answers } from "./answers.ts";
import { tokensText } from "./facts-text.ts";

const limitMs = 120_000;
/** Talaria's own instructions and tools take some 3,500 tokens of each request; the rest has to hold a conversation. */
const enoughTokens = 16_384;
const widerTokens = 32_768;

/**
 * Offers a copy of a model that Ollama serves in a small window, which it keeps to by cutting requests in silence. Resolves with the
 * name of the copy, or undefined when the model stays.
 */
export async function widenWindow(
  answers: Answers,
  model: string,
  say: (line: string) => void,
): Promise<string | undefined> {
  const { provider, place, interview } = answers;
  if (provider?.local !== "ollama" || place?.baseUrl === undefined) return undefined;
  const address = new URL(place.baseUrl).origin;
  const signal = AbortSignal.timeout(limitMs);
  const window = await ollamaWindow(address, model, signal);
  if (window === undefined || window >= enoughTokens) return undefined;
  const { longestTokens = widerTokens } = await showOllama(address, model, signal);
  const windowTokens = Math.min(widerTokens, longestTokens);
  say(
    `Ollama gives ${model} a window of ${tokensText(window)}, and cuts what is longer without a word. Talaria's own instructions take about 3,500.`,
  );
  const byHand = `Start it with \`OLLAMA_CONTEXT_LENGTH=${windowTokens} ollama serve\`, and set this model up again.`;
  const copy = widenedName(model, windowTokens);
  const question = `Make ${copy}, the same model with ${tokensText(windowTokens)}? It takes no room on the disk, but more memory`;
  if (windowTokens <= window) {
    say("It was made for no more: choose another model for longer conversations.");
    return undefined;
  }
  if (!interview.isInteractive || !(await interview.confirm(question, "yes"))) {
    say(byHand);
    return undefined;
  }
  try {
    await widenOllama(address, { model, copy, windowTokens }, signal);
    return copy;
  } catch (error) {
    if (!isGatewayError(error)) throw error;
    say(`${error.message}. ${byHand}`);
    return undefined;
  }
}
