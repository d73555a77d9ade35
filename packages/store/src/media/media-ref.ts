import { brandAs, type MediaRef } from "@talaria/protocol";

const prefix = "sha256:";

/** The name of content in the store. */
export function refOf(sha256: Uint8Array): MediaRef {
  return brandAs<MediaRef>(prefix + Buffer.from(sha256).toString("hex"));
}

/** Undefined for a ref that names nothing in the store, such as a platform's. */
export function hashOf(ref: MediaRef): Buffer | undefined {
  return /^sha256:[0-9a-f]{64}$/.test(ref) ? Buffer.from(ref.slice(prefix.length), "hex") : undefined;
}
