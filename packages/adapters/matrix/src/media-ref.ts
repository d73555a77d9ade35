import { brandAs, type MediaRef } from "@talaria/protocol";
import type { EncryptedFile } from "./content.ts";

/** Where a file's bytes are, and what opens them. */
export interface MediaPlace {
  readonly server: string;
  readonly mediaId: string;
  readonly lock?: { readonly key: Buffer; readonly iv: Buffer; readonly sha256: Buffer };
}

/** Server names and media ids as the specification allows them: they become parts of a path. */
const mxc = /^mxc:\/\/([A-Za-z0-9.:[\]-]{1,230})\/([\w-]{1,255})$/;

/** `server/id`, for encrypted files followed by key, counter and hash. Undefined for other addresses. */
export function mediaRefOf(file: EncryptedFile | string | undefined): MediaRef | undefined {
  const [, server, mediaId] = mxc.exec((typeof file === "string" ? file : file?.url) ?? "") ?? [];
  if (file === undefined || server === undefined) return undefined;
  const lock = typeof file === "string" ? [] : [file.key.k, file.iv, file.hashes.sha256].map(toBase64url);
  const ref = [server, mediaId, ...lock].join("/");
  return ref.length <= 512 ? brandAs<MediaRef>(ref) : undefined;
}

export function placeOf(ref: MediaRef): MediaPlace | undefined {
  const [server = "", mediaId = "", k, iv, sha256, ...more] = ref.split("/");
  if (!mxc.test(`mxc://${server}/${mediaId}`) || more.length > 0) return undefined;
  if (k === undefined) return { server, mediaId };
  const lock = { key: bytesOf(k), iv: bytesOf(iv), sha256: bytesOf(sha256) };
  const isWhole = lock.key.length === 32 && lock.iv.length === 16 && lock.sha256.length === 32;
  return isWhole ? { server, mediaId, lock } : undefined;
}

function toBase64url(text: string): string {
  return bytesOf(text).toString("base64url");
}

/** Base64 of either alphabet. */
function bytesOf(text = ""): Buffer {
  return Buffer.from(text, "base64");
}
