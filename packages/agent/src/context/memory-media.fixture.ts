import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { brandAs, GatewayError, type MediaRef } from "@talaria/protocol";
import type { MediaAccess } from "../media.ts";

/** Keeps content in this process, by its hash. */
export function memoryMedia(): MediaAccess & { readonly texts: ReadonlyMap<MediaRef, Uint8Array> } {
  const kept = new Map<MediaRef, Uint8Array>();
  return {
    texts: kept,
    read: async (ref, { offset, length }) => {
      const bytes = kept.get(ref);
      if (bytes === undefined) throw new GatewayError("it is not kept", { code: "not_found" });
      return bytes.subarray(offset, offset + length);
    },
    put: async (content, mimeType) => {
      const bytes = content instanceof Uint8Array ? content : Buffer.concat(await Readable.from(content).toArray());
      const ref = brandAs<MediaRef>(`sha256:${createHash("sha256").update(bytes).digest("hex")}`);
      kept.set(ref, bytes);
      return { ref, mimeType, byteLength: bytes.byteLength };
    },
  };
}
