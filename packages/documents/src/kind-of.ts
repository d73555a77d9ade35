/** What the first bytes say, and the name where bytes can't tell. */
export type Kind =
  | "pdf"
  | "zip"
  | "ole"
  | "rtf"
  | "notebook"
  | "mail"
  | "tar"
  | "gzip"
  | "7z"
  | "rar"
  | "xz"
  | "bzip2"
  | "zstd";

/** So many bytes are enough. */
const headBytes = 1_024;

/** As Latin-1. */
const signatures: readonly { readonly kind: Kind; readonly bytes: string; readonly at?: number }[] = [
  { kind: "zip", bytes: "PK\x03\x04" },
  { kind: "zip", bytes: "PK\x05\x06" },
  { kind: "ole", bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" },
  { kind: "rtf", bytes: "{\\rtf" },
  { kind: "gzip", bytes: "\x1f\x8b\x08" },
  { kind: "7z", bytes: "7z\xbc\xaf\x27\x1c" },
  { kind: "rar", bytes: "Rar!\x1a\x07" },
  { kind: "xz", bytes: "\xfd7zXZ\0" },
  { kind: "bzip2", bytes: "1AY&SY", at: 4 },
  { kind: "zstd", bytes: "\x28\xb5\x2f\xfd" },
  { kind: "tar", bytes: "ustar", at: 257 },
];

/** Undefined: no document, but a text, a picture, or something that nobody reads here. */
export function kindOf(head: Uint8Array, name: string): Kind | undefined {
  const start = Buffer.from(head.buffer, head.byteOffset, Math.min(headBytes, head.byteLength)).toString("latin1");
  const found = signatures.find(({ bytes, at = 0 }) => start.startsWith(bytes, at));
  if (found !== undefined) return found.kind;
  // A PDF may begin later than its first byte (ISO 32000-2, annex I), as mail programs leave it.
  if (/^%PDF-\d|\n%PDF-\d/.test(start)) return "pdf";
  if (/\.ipynb$/i.test(name) && /^(\xef\xbb\xbf)?\s*\{/.test(start)) return "notebook";
  return /\.(eml|mht|mhtml)$/i.test(name) && /^[!-9;-~]{1,76}:/m.test(start) ? "mail" : undefined;
}
