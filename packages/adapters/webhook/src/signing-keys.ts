import type { SecretText } from "./config.ts";

const prefix = "whsec_";

/** A shorter key could be guessed. */
export const minKeyBytes = 16;

/**
 * What a secret stands for in Standard Webhooks 1.0.0, never empty. Behind `whsec_` it is base64. Without it, libraries
 * differ: some take the text itself, some decode it; where both are possible, both are meant.
 */
export function signingKeys(secret: SecretText): readonly [Buffer, ...Buffer[]] {
  const text = secret.reveal();
  if (text.startsWith(prefix)) return [Buffer.from(text.slice(prefix.length), "base64")];
  const decoded = Buffer.from(text, "base64");
  const isBase64 = decoded.byteLength >= minKeyBytes && decoded.toString("base64") === text;
  return isBase64 ? [Buffer.from(text, "utf8"), decoded] : [Buffer.from(text, "utf8")];
}
