import { createHash } from "node:crypto";

/** The first 12 digits of the SHA-256 of a whole file, as checkpoints show them. */
export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex").slice(0, 12);
}
