import { isUtf8 } from "node:buffer";
import { pixelsOf } from "./media-pixels.ts";

/** What the first bytes of a file say about it. */
export interface MediaKind {
  readonly mimeType: string;
  /** Width times height of a picture. */
  readonly pixels?: number;
}

const unknownType = "application/octet-stream";

interface Signature {
  readonly mimeType: string;
  readonly bytes: string;
  readonly at?: number;
  /** Claims that look the same on the first bytes and are believed. */
  readonly or?: RegExp;
}

/** Magic numbers, as Latin-1. The first that fits decides. */
const signatures: readonly Signature[] = [
  { mimeType: "image/png", bytes: "\x89PNG\r\n\x1a\n" },
  { mimeType: "image/jpeg", bytes: "\xff\xd8\xff" },
  { mimeType: "image/gif", bytes: "GIF87a" },
  { mimeType: "image/gif", bytes: "GIF89a" },
  { mimeType: "image/webp", bytes: "WEBP", at: 8 },
  { mimeType: "audio/wav", bytes: "WAVE", at: 8 },
  { mimeType: "video/x-msvideo", bytes: "AVI ", at: 8 },
  { mimeType: "image/tiff", bytes: "II*\0" },
  { mimeType: "image/tiff", bytes: "MM\0*" },
  { mimeType: "image/heic", bytes: "ftyphei", at: 4, or: /^image\/hei[cf]$/ },
  { mimeType: "image/heic", bytes: "ftypmif1", at: 4, or: /^image\/(hei[cf]|avif)$/ },
  { mimeType: "image/avif", bytes: "ftypavif", at: 4 },
  { mimeType: "audio/mp4", bytes: "ftypM4A", at: 4, or: /^audio\/(mp4|x-m4a|aac)$/ },
  { mimeType: "video/mp4", bytes: "ftyp", at: 4, or: /^(audio|video)\/(mp4|x-m4a|aac|quicktime|3gpp)$/ },
  { mimeType: "audio/ogg", bytes: "OggS", or: /^(audio\/(ogg|opus)|video\/ogg|application\/ogg)$/ },
  { mimeType: "video/webm", bytes: "\x1a\x45\xdf\xa3", or: /^(audio|video)\/(webm|x-matroska)$/ },
  { mimeType: "audio/mpeg", bytes: "ID3" },
  { mimeType: "audio/mpeg", bytes: "\xff\xfb", or: /^audio\/(mpeg|mp3)$/ },
  { mimeType: "audio/aac", bytes: "\xff\xf1" },
  { mimeType: "audio/flac", bytes: "fLaC" },
  { mimeType: "audio/amr", bytes: "#!AMR" },
  { mimeType: "application/pdf", bytes: "%PDF-" },
  {
    mimeType: "application/zip",
    bytes: "PK\x03\x04",
    or: /^application\/(zip|vnd\.(openxmlformats|oasis)[\w.-]+|epub\+zip)$/,
  },
  { mimeType: "application/gzip", bytes: "\x1f\x8b" },
  { mimeType: "application/x-7z-compressed", bytes: "7z\xbc\xaf\x27\x1c" },
  { mimeType: "application/x-rar-compressed", bytes: "Rar!\x1a\x07" },
  { mimeType: "application/x-ole-storage", bytes: "\xd0\xcf\x11\xe0", or: /^application\/(msword|vnd\.ms-[\w.-]+)$/ },
];

/** Kinds of text that bytes cannot tell apart. Nothing that a browser would run: such a claim becomes plain text. */
const textClaims =
  /^(text\/(plain|csv|markdown|calendar|tab-separated-values|x-[\w.+-]+)|application\/(json|x-ndjson|yaml|x-yaml|toml|xml|x-sh))$/;

/** The size of a picture may stand behind a long profile or thumbnail, but not for ever. */
const longestHead = 1_048_576;

/**
 * The type of a file by its first bytes. A picture whose header cannot be read is no picture. `isWhole`: `head` is the
 * whole file. Undefined: ask again with more of it.
 */
export function mediaKindOf(head: Uint8Array, isWhole: boolean, claimedType = ""): MediaKind | undefined {
  const claim = claimedType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(64, head.byteLength)).toString("latin1");
  const found = signatures.find(({ bytes, at = 0 }) => start.startsWith(bytes, at));
  if (found === undefined) return { mimeType: isText(head, isWhole) ? textTypeOf(head, claim) : unknownType };
  const mimeType = found.or?.test(claim) ? claim : found.mimeType;
  if (!shownTypes.has(mimeType)) return { mimeType };
  const pixels = pixelsOf(mimeType, head);
  if (pixels !== undefined) return { mimeType, pixels };
  return isWhole || head.byteLength >= longestHead ? { mimeType: unknownType } : undefined;
}

/** Pictures that models take. */
const shownTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

function textTypeOf(head: Uint8Array, claim: string): string {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(512, head.byteLength)).toString("utf8").trimStart();
  if (/^(<!doctype html|<html|<script|<body|<head)/i.test(start)) return "text/html";
  if (/^(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)?(<!doctype svg|<svg)/i.test(start)) return "image/svg+xml";
  return textClaims.test(claim) ? claim : "text/plain";
}

/** UTF-8 without control characters, as far as we can see; the last character may be cut. */
function isText(head: Uint8Array, isWhole: boolean): boolean {
  for (const byte of head)
    if (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d && byte !== 0x0c) return false;
  if (isWhole) return isUtf8(head);
  return [0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, head.byteLength - cut)));
}
