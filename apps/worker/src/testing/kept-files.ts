import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { MediaAccess } from "@talaria/agent";
import { brandAs, type MediaRef } from "@talaria/protocol";

/** Files of all workers, by the hash of their content. */
export function keptFiles(): MediaAccess {
  const kept = new Map<string, Uint8Array>();
  return {
    read: async (ref, { offset, length }) => (kept.get(ref) ?? Buffer.alloc(0)).subarray(offset, offset + length),
    put: async (content, mimeType) => {
      const bytes = content instanceof Uint8Array ? content : Buffer.concat(await Readable.from(content).toArray());
      const ref = brandAs<MediaRef>(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
      kept.set(ref, bytes);
      return { ref, mimeType, byteLength: bytes.byteLength };
    },
  };
}
