import type { Clock } from "@talaria/protocol";
import { estimateTokens } from "./context/estimate-tokens.ts";
import { type CountedUsage, countUsage } from "./counted-usage.ts";
import type { AskedModel, ModelPort, ModelRequest, ModelUsage } from "./model.ts";
import { readUntilAborted } from "./read-until-aborted.ts";
import { credibleUsage, estimateUsage } from "./usage.ts";

/** What a model said, all of it or as far as `mostChars`, or why nothing can be made of it. `usage`: as far as it was counted. */
export type BriefAnswer = ({ readonly said: string; readonly servedBy?: string } | { readonly failure: string }) & {
  readonly usage?: CountedUsage;
};

export interface BriefLimits {
  /** UTF-16 units. A longer answer is cut off. */
  readonly mostChars: number;
  readonly ms: number;
  /** What no server has counted is guessed, also of an answer that was cut off. */
  readonly guesses?: boolean;
}

/** Asks for one short text, without tools. Never throws, and ends in time, whatever the model does. */
export async function askBriefly(
  model: ModelPort,
  request: ModelRequest,
  { mostChars, ms, guesses = false }: BriefLimits,
  clock: Clock,
  signal: AbortSignal,
): Promise<BriefAnswer> {
  const ended = new AbortController();
  const ending = AbortSignal.any([signal, ended.signal]);
  const timeUp = new AbortController();
  void clock.sleep(ms, timeUp.signal).then(
    () => ended.abort(),
    () => undefined,
  );
  let said = "";
  let asked: AskedModel | undefined;
  const used = (text: string, counted?: ModelUsage): { readonly usage?: CountedUsage } => {
    if (counted === undefined && (!guesses || text === "")) return {};
    return { usage: countUsage(credibleUsage(counted, estimateUsage(request, estimateTokens(text))), asked) };
  };
  try {
    for await (const event of readUntilAborted(model.stream(request, ending), ending)) {
      if (event.type === "asked") asked = event.model;
      if (event.type === "restart") said = "";
      if (event.type === "delta") said += event.text;
      if (said.length > mostChars) return { said, ...used(said) };
      if (event.type === "failed") return { failure: event.error.message, ...used(said) };
      if (event.type !== "done") continue;
      const { content } = event.message;
      return { said: content, servedBy: event.servedBy, ...used(content, event.usage) };
    }
  } catch (error) {
    if (!ended.signal.aborted) return { failure: String(error), ...used(said) };
  } finally {
    timeUp.abort();
  }
  return { failure: ended.signal.aborted ? `no answer within ${ms / 1000} s` : "the answer has no end", ...used(said) };
}
