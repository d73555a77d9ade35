import { isAscii, isUtf8 } from "node:buffer";
import { analyse } from "chardet";

/** What a guess looks at. */
const sampleBytes = 65_536;
/** Of `chardet`, in percent. Below it a guess is worth less than the most common one. */
const leastConfidence = 35;
const leastLead = 10;
const likeliest = "windows-1252";
const marks: readonly { readonly bytes: readonly number[]; readonly label: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], label: "utf-8" },
  { bytes: [0xff, 0xfe], label: "utf-16le" },
  { bytes: [0xfe, 0xff], label: "utf-16be" },
];

/** How a text is written, as `TextDecoder` calls it. */
export interface TextEncoding {
  readonly label: string;
  /** By a mark at its beginning, since it is valid UTF-8, by what the text says of itself, or by what its bytes look like. */
  readonly by: "mark" | "validity" | "declaration" | "guess";
}

/** Nothing but ASCII as far as one sees: whatever follows decides. */
export type SeenEncoding = TextEncoding | "ascii";

/**
 * By the mark, UTF-8 where it is valid (the last character may be cut), what XML, HTML, CSS or a source file declare of themselves,
 * UTF-16 by its zeros, else a guess, at worst Windows-1252. Undefined: no text, as it has zeros or other bytes that none has. `head` is the beginning of a file.
 */
export function encodingOf(head: Uint8Array): SeenEncoding | undefined {
  const mark = marks.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (mark !== undefined) return { label: mark.label, by: "mark" };
  if (head.subarray(0, 8_192).includes(0)) return wideOf(head);
  if (isAscii(head)) return "ascii";
  if (isUtf8(withoutCut(head))) return { label: "utf-8", by: "validity" };
  const declared = declaredOf(head);
  if (declared !== undefined) return declared;
  if (head.subarray(0, sampleBytes).some(isControl)) return undefined;
  return { label: guessOf(head.subarray(0, sampleBytes)), by: "guess" };
}

/** Text that is not UTF-8 is said to be what it was taken for. */
export function encodingWords(encoding: SeenEncoding): string {
  if (encoding === "ascii" || encoding.label === "utf-8") return "";
  return encoding.by === "guess" ? `read as ${encoding.label} (a guess: it is no UTF-8)` : `read as ${encoding.label}`;
}

/** Every second byte of mostly Latin text is zero in UTF-16 (Unicode standard, 3.10); in other files zeros lie anywhere. */
function wideOf(head: Uint8Array): TextEncoding | undefined {
  const sample = head.subarray(0, 8_192);
  const zeros = [0, 0];
  sample.forEach((byte, index) => {
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  });
  const [even = 0, odd = 0] = zeros;
  const most = Math.max(even, odd);
  if (Math.min(even, odd) > 0 || most < sample.byteLength * 0.3) return undefined;
  const label = odd > even ? "utf-16le" : "utf-16be";
  const whole = sample.subarray(0, sample.byteLength - (sample.byteLength % 2));
  const text = decoded(whole, label);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells a table of numbers.
  return text === undefined || /[\0-\x08\x0e-\x1a]/.test(text) ? undefined : { label, by: "guess" };
}

/** One that no text has: not a tab, a line's or a page's end, or the escape of ISO 2022. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32);
}

/** XML, HTML and CSS, and the line that editors and Python read. */
const declarations = [
  /^\s*<\?xml[^>]{0,200}?\sencoding=["']([\w:.-]{1,40})["']/,
  /<meta[^>]{0,200}?charset=["']?([\w:.-]{1,40})/i,
  /^@charset "([\w:.-]{1,40})"/,
  /^(?:[^\n]*\n)?[ \t\f]*(?:#|\/\/|--|;|%|"|\/\*)[^\n]{0,80}?coding[:=][ \t]*([\w.-]{1,40})/,
];

function declaredOf(head: Uint8Array): TextEncoding | undefined {
  const start = Buffer.from(head.subarray(0, 1_024)).toString("latin1");
  for (const pattern of declarations) {
    const label = pattern.exec(start)?.[1];
    const known = label === undefined ? undefined : knownLabel(label);
    // That it is UTF-8 or UTF-16 its bytes have denied.
    if (known !== undefined && !known.startsWith("utf-")) return { label: known, by: "declaration" };
  }
  return undefined;
}

/** Another one than the likeliest has to be clearly likelier. Lines of mere ASCII tell nothing. */
function guessOf(head: Uint8Array): string {
  const lines = Buffer.from(head).toString("latin1").split("\n");
  const sample = Buffer.from(lines.filter((line) => /[^\0-\x7f]/.test(line)).join("\n"), "latin1");
  const guesses = analyse(sample);
  const [best] = guesses;
  const western = guesses.find(({ name }) => knownLabel(name) === likeliest)?.confidence ?? 0;
  if (best === undefined || best.confidence < leastConfidence || best.confidence < western + leastLead)
    return likeliest;
  const label = knownLabel(best.name);
  return label === undefined || label.startsWith("utf-") || decoded(withoutCut(sample), label) === undefined
    ? likeliest
    : label;
}

function knownLabel(name: string): string | undefined {
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

function decoded(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}

/** Without a character of UTF-8 that is cut at the end. */
function withoutCut(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= Math.min(3, bytes.byteLength); back += 1) {
    const byte = bytes[bytes.byteLength - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.byteLength - back) : bytes;
  }
  return bytes;
}
