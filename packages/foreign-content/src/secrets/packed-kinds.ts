/** As what a content begins. `searched`: it can be unpacked here. */
export type PackedKind =
  | { readonly name: "gzip" | "zip" | "zstd"; readonly isSearched: true }
  | { readonly name: string; readonly isSearched: false };

/** As Latin-1: the beginning, and what follows behind `gap` more bytes. */
const marks: readonly {
  readonly bytes: string;
  readonly gap?: number;
  readonly ending?: string;
  readonly kind: PackedKind;
}[] = [
  { bytes: "\x1f\x8b\x08", kind: { name: "gzip", isSearched: true } },
  { bytes: "PK\x03\x04", kind: { name: "zip", isSearched: true } },
  { bytes: "\x28\xb5\x2f\xfd", kind: { name: "zstd", isSearched: true } },
  { bytes: "\xfd7zXZ\0", kind: { name: "xz", isSearched: false } },
  { bytes: "BZh", gap: 1, ending: "1AY&SY", kind: { name: "bzip2", isSearched: false } },
  { bytes: "7z\xbc\xaf\x27\x1c", kind: { name: "7z", isSearched: false } },
  { bytes: "Rar!\x1a\x07", kind: { name: "RAR", isSearched: false } },
  { bytes: "LZIP\x01", kind: { name: "lzip", isSearched: false } },
  { bytes: "\x04\x22\x4d\x18", kind: { name: "lz4", isSearched: false } },
];

/** `open`: more bytes decide. Undefined: nothing that is known to be packed. */
export function packedKindOf(start: Uint8Array): PackedKind | "open" | undefined {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(16, start.byteLength)).toString("latin1");
  let isOpen = false;
  for (const { bytes, gap = 0, ending = "", kind } of marks) {
    const seen = `${text.slice(0, bytes.length)}${text.slice(bytes.length + gap)}`;
    const whole = `${bytes}${ending}`;
    if (seen.startsWith(whole)) return kind;
    isOpen ||= whole.startsWith(seen);
  }
  return isOpen ? "open" : undefined;
}
