import type { ModelPrice, ModelUsage } from "./model.ts";

/** What a million tokens cost in proportion to those that are read anew, where nobody says: what most providers take. */
const usual = { input: 1, cachedInput: 0.1, cacheWrite: 1, output: 5 } as const;

/**
 * What an answer counts for limits of tokens: as many tokens as cost the same when the agent's model reads them anew, rounded up.
 * `unitPrice` is what a million of those cost. Without it, what this model's own cost; without a price, or where nothing costs
 * anything, `usual` holds. What comes from a cache whose price is not said counts a tenth.
 */
export function worthOf(usage: ModelUsage, price?: ModelPrice, unitPrice?: number): number {
  const weights = weightsOf(price, unitPrice);
  const [cached, written] = [count(usage.cachedTokens), count(usage.cacheWriteTokens ?? 0)];
  const anew = Math.max(0, count(usage.inputTokens) - cached - written);
  const worth =
    anew * weights.input +
    cached * weights.cachedInput +
    written * weights.cacheWrite +
    count(usage.outputTokens) * weights.output;
  // Weights such as 0.1 are no binary fractions: 30 × 0.1 is 3.
  return Math.ceil(Number(worth.toFixed(6)));
}

type Weights = { readonly [Part in keyof typeof usual]: number };

function weightsOf(price: ModelPrice | undefined, unitPrice: number | undefined): Weights {
  if (price === undefined || price.input + price.output === 0) return usual;
  const { input, output, cachedInput = input * usual.cachedInput, cacheWrite = input } = price;
  const unit = unitPrice !== undefined && unitPrice > 0 ? unitPrice : input;
  if (unit === 0) return usual;
  return { input: input / unit, cachedInput: cachedInput / unit, cacheWrite: cacheWrite / unit, output: output / unit };
}

function count(tokens: number): number {
  return tokens > 0 ? tokens : 0;
}
