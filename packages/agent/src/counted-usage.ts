import { costOf } from "./cost.ts";
import type { AskedModel, ModelUsage } from "./model.ts";
import { worthOf } from "./worth.ts";

/** What the journal keeps of an answer's usage. */
export interface CountedUsage extends ModelUsage {
  /** Its name in the configuration. */
  readonly model?: string;
  readonly provider?: string;
  /** In millionths of the operator's currency. Absent: the price is unknown. */
  readonly cost?: number;
  /** What it counts for limits of tokens, see `worthOf`. Absent in entries of older releases. */
  readonly worth?: number;
}

/** The usage of one answer, with who gave it and what it costs. */
export function countUsage(usage: ModelUsage, asked: AskedModel | undefined): CountedUsage {
  if (asked === undefined) return { ...usage, worth: worthOf(usage) };
  const { name: model, provider, price, unitPrice } = asked;
  const worth = worthOf(usage, price, unitPrice);
  return { ...usage, model, provider, ...(price === undefined ? {} : { cost: costOf(usage, price) }), worth };
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
    worth: (first.worth ?? worthOf(first)) + (second.worth ?? worthOf(second)),
    ...(first.cost === undefined || cost === undefined ? {} : { cost: first.cost + cost }),
  };
}
