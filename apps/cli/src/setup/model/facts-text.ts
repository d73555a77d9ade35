import type { KnownPrice } from "@talaria/models";

/** `200,000 tokens`. */
export function tokensText(tokens: number): string {
  return `${tokens.toLocaleString("en-US")} tokens`;
}

/** `USD 5 in, 25 out`, for a million tokens. */
export function priceText({ input, output }: Pick<KnownPrice, "input" | "output">, currency: string): string {
  return input === 0 && output === 0 ? "free" : `${currency} ${input} in, ${output} out`;
}
