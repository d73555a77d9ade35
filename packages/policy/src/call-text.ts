import type { AskedWords, CallPart, CallWords, NamedValue } from "@talaria/protocol";
import type { CallPhrases } from "./call-phrases.ts";
import { codeLine, cutMiddle, fenced, quotedText } from "./shown-text.ts";

/** Each part has at least so many characters. */
const leastOfPart = 120;
/** A longer value has lines of its own. */
const longestLine = 100;

/**
 * What people read who are asked about a call, Markdown: what it does, with what, and why they are asked. Words that others chose stand in
 * code or in quotes that nothing in them ends. At most about `most` characters: what is longer is cut in the middle of its parts, the
 * longest first, and says so. `leftOut`: so many characters of them are not shown.
 */
export function callText(
  { headline, parts, why = "" }: CallWords & Partial<Pick<AskedWords, "why">>,
  most: number,
  phrases: CallPhrases,
): { readonly text: string; readonly leftOut: number } {
  const title = headline.map((piece) => (typeof piece === "string" ? piece : codeLine(piece.name))).join("");
  const texts = parts.map((part) => (part.kind === "facts" ? "" : textOf(part)));
  const fixed = parts.flatMap((part) => (part.kind === "facts" ? part.items : [])).map(factLine);
  const around = title.length + why.length + fixed.reduce((sum, line) => sum + line.length, 0);
  const longest = lengthWithin(
    texts.map(({ length }) => length),
    most - around,
  );
  let leftOut = 0;
  const blocks = parts.map((part, n) => {
    if (part.kind === "facts") return part.items.map(factLine).join("\n");
    const cut = cutMiddle(texts[n] ?? "", phrases.marks, longest);
    leftOut += cut.leftOut;
    return blockOf(part, cut.text);
  });
  return { text: [phrases.mayI(title), ...blocks, why].filter((block) => block !== "").join("\n\n"), leftOut };
}

function factLine({ name, value }: NamedValue): string {
  return `- ${name}: ${codeLine(value)}`;
}

function textOf(part: Exclude<CallPart, { readonly kind: "facts" }>): string {
  return part.kind === "arguments" ? part.items.map(argumentLines).join("\n") : part.text;
}

/** Of a text with several lines each line is indented, so that none of them looks like another argument. */
function argumentLines({ name, value }: NamedValue): string {
  if (value.length <= longestLine && !value.includes("\n")) return `${name}: ${value}`;
  return `${name}:\n${value.replace(/^/gm, "  ")}`;
}

function blockOf(part: Exclude<CallPart, { readonly kind: "facts" }>, text: string): string {
  const label = "label" in part && part.label !== undefined ? `${part.label}:\n\n` : "";
  switch (part.kind) {
    case "text":
      return `${label}${quotedText(text)}`;
    case "difference":
      return `${label}${fenced(text, "diff")}`;
    case "block":
    case "arguments":
      return `${label}${fenced(text)}`;
    default:
      return part satisfies never;
  }
}

/** The length to which the longest have to be cut for all of them to fit. */
function lengthWithin(lengths: readonly number[], most: number): number {
  let left = most;
  const sorted = lengths.toSorted((one, other) => one - other);
  for (const [n, length] of sorted.entries()) {
    const share = left / (sorted.length - n);
    if (length > share) return Math.max(leastOfPart, Math.floor(share));
    left -= length;
  }
  return Number.POSITIVE_INFINITY;
}
