import type { ModelPrice, ModelUsage } from "./model.ts";

/** More than any model reads or writes for one answer: what a provider counts beyond that is an error of its own. */
const maxTokens = 100_000_000;

/**
 * What an answer costs, in whole millionths of the operator's currency, rounded up. Exact: prices count to six decimals, and
 * nothing is added up in floating point.
 */
export function costOf(
  usage: ModelUsage,
  { input, output, cachedInput = input, cacheWrite = input }: ModelPrice,
): number {
  const cached = whole(usage.cachedTokens);
  const written = whole(usage.cacheWriteTokens ?? 0);
  const read = whole(usage.inputTokens) - cached - written;
  const parts: readonly (readonly [tokens: bigint, price: number])[] = [
    [read > 0n ? read : 0n, input],
    [cached, cachedInput],
    [written, cacheWrite],
    [whole(usage.outputTokens), output],
  ];
  const sum = parts.reduce((total, [tokens, price]) => total + tokens * BigInt(Math.round(price * 1_000_000)), 0n);
  return Number((sum + 999_999n) / 1_000_000n);
}

function whole(tokens: number): bigint {
  return tokens > 0 ? BigInt(Math.min(maxTokens, Math.ceil(tokens))) : 0n;
}
