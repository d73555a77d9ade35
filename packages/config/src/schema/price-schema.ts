import { z } from "zod";

const priceOf = (what: string) => z.number().min(0).max(100_000).describe(`Price of a million tokens ${what}.`);

/** In the currency of `limits.spending.currency`. Millionths of it count. */
export const priceSchema = z.strictObject({
  input: priceOf("that the model reads"),
  output: priceOf("that it writes, thoughts included"),
  cachedInput: priceOf("that it reads from the provider's cache. Default: that of `input`").optional(),
  cacheWrite: priceOf("that go into the provider's cache. Default: that of `input`").optional(),
});
