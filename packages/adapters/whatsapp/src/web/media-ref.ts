import { brandAs, GatewayError, type MediaRef } from "@talaria/protocol";

export type WebMediaKind = "image" | "video" | "audio" | "sticker" | "document";

/** All that is needed to fetch and decrypt a file, also after a restart. */
export interface WebMedia {
  readonly kind: WebMediaKind;
  readonly mediaKey: Uint8Array;
  /** Below WhatsApp's own media host: `/v/t62.7118-24/...`. */
  readonly directPath: string;
}

/** Longest ref that the rest of Talaria accepts. */
const longestRef = 512;

export function mediaRefOf({ kind, mediaKey, directPath }: WebMedia): MediaRef {
  return brandAs<MediaRef>(`${kind} ${Buffer.from(mediaKey).toString("base64url")} ${directPath}`.slice(0, longestRef));
}

/** Throws `not_found` for a ref that is none of ours, so that no other host is ever asked. */
export function readMediaRef(ref: MediaRef): WebMedia {
  const [, kind, key, directPath] =
    /^(image|video|audio|sticker|document) ([\w-]{43}) (\/[\w.~/?&=%-]{1,400})$/.exec(ref) ?? [];
  if (kind === undefined || key === undefined || directPath === undefined || directPath.includes("//"))
    throw new GatewayError("whatsapp has no file with such an id", { code: "not_found" });
  return { kind: kind as WebMediaKind, mediaKey: Buffer.from(key, "base64url"), directPath };
}
