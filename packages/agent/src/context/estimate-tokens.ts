/**
 * What a text takes of a model's window, guessed from its characters alone: in one pass, without a vocabulary. It is rather too
 * high than too low: prose and code come out up to a half too high, scripts that a vocabulary knows well up to three times; tables,
 * hex, base64, logs and any script are never more than a tenth below what o200k and cl100k count (`estimate-tokens.test.ts`).
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let before: Kind = "space";
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const kind = unit < 0x80 ? (asciiKinds[unit] as AsciiKind) : "other";
    if (kind === "other") {
      tokens += tokensOfOther(unit);
    } else if (kind === before) {
      tokens += inRun(kind, length);
      length += 1;
    } else {
      tokens += atStart(kind, before, length);
      length = 1;
    }
    before = kind;
  }
  return Math.ceil(tokens);
}

type AsciiKind = "lower" | "upper" | "digit" | "space" | "break" | "sign";
type Kind = AsciiKind | "other";

const asciiKinds: readonly AsciiKind[] = Array.from({ length: 0x80 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[a-z]/.test(character)) return "lower";
  if (/[A-Z]/.test(character)) return "upper";
  if (/[0-9]/.test(character)) return "digit";
  if (character === " " || character === "\t") return "space";
  return character === "\n" || character === "\r" ? "break" : "sign";
});

/** What one more character of the same kind costs after `length` of them. Words are short: what is longer is no word. */
function inRun(kind: AsciiKind, length: number): number {
  switch (kind) {
    case "lower":
      return length < 6 ? 0 : length < 14 ? 0.2 : 0.6;
    case "upper":
      return 0.55;
    case "digit":
      return length % 3 === 0 ? 1 : 0;
    case "space":
      return length === 1 ? 1 : 0.1;
    case "break":
      return 0.3;
    case "sign":
      return length < 70 ? 0.9 : 0.15;
    default:
      return kind satisfies never;
  }
}

/** What a run costs where it begins. One space belongs to the word or sign behind it, but not to a number. */
function atStart(kind: AsciiKind, before: Kind, length: number): number {
  if (kind === "space") return 0;
  if (kind === "digit" && before === "space") return length === 1 ? 2 : 1.9;
  if (kind === "lower" && before === "upper") return length === 1 ? 0.45 : 0.8;
  return 1;
}

/** From scripts that vocabularies know well to those of which they have little more than bytes. Looked up by sixteen units. */
function tokensOfOther(unit: number): number {
  return tokensPerUnit[unit >> 4] ?? 1;
}

/** Ends of ranges of UTF-16 units, with what a unit below costs. */
const costs: readonly (readonly [end: number, tokens: number])[] = [
  [0x100, 1.05],
  [0x250, 1.3],
  [0x400, 1],
  [0x530, 0.7],
  [0x590, 2],
  [0x600, 1.1],
  [0x780, 0.85],
  [0x900, 2.1],
  [0x980, 1.2],
  [0xe00, 1.6],
  [0xe80, 1.05],
  [0x10a0, 2.2],
  [0x1200, 2],
  [0x1400, 2.8],
  [0x1e00, 2.5],
  [0x1f00, 1],
  [0x2000, 2.2],
  [0x2070, 1.2],
  [0x2500, 1.7],
  [0x2600, 1],
  [0x3000, 1.9],
  [0x3100, 1.1],
  [0x4e00, 2.5],
  [0xa000, 1.4],
  [0xac00, 2.7],
  [0xd800, 1.25],
  [0xe000, 2.1],
  [0xfe00, 2.7],
  [0x1_0000, 1.7],
];

const tokensPerUnit: Float32Array = Float32Array.from(
  { length: 0x1000 },
  (_, block) => costs.find(([end]) => block << 4 < end)?.[1] ?? 1,
);
