import type { ShownMarks } from "./call-phrases.ts";

const mostShownChars = 3_000;
/** Of a longer text only both ends are looked at. */
const mostReadChars = 30_000;

/** A text as somebody sees it who has to agree to it. */
export interface Shown {
  readonly text: string;
  /** Characters in the middle that are not shown. What is shown says so. */
  readonly leftOut: number;
  /** It had characters that nobody can see, or that change the order of others. They are written out, as `\u{202e}`. */
  readonly hasHidden: boolean;
}

/** Any text without anything invisible, cut in its middle. */
export function shownText(text: string, marks: ShownMarks, most = mostShownChars): Shown {
  const read = cutMiddle(text, marks, Math.max(mostReadChars, 3 * most));
  const visible = read.text.replace(hidden, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
  const even = visible
    .replace(/[ \t]{9,}/g, (run) => ` [${marks.blanks(run.length)}] `)
    .replace(/\n{4,}/g, (run) => `\n[${marks.emptyLines(run.length - 1)}]\n`);
  const { text: short, leftOut } = cutMiddle(even, marks, most, read.leftOut);
  return { text: short, leftOut, hasHidden: visible !== read.text };
}

/**
 * Everything without a shape of its own, or that moves its neighbours: control and format characters, odd blanks, private and
 * unpaired ones, marks that pile up. Line ends and tabs stay, and what joins emoji.
 */
const hidden =
  /(?![\n\t ])(?!(?<=\p{Extended_Pictographic})\ufe0f)(?!(?<=\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)\u200d(?=\p{Extended_Pictographic}))[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|(?<=\p{M}{3})\p{M}/gu;

/** `before` counts characters that were left out of `text` already. */
export function cutMiddle(
  text: string,
  marks: Pick<ShownMarks, "notShown">,
  most: number,
  before = 0,
): { readonly text: string; readonly leftOut: number } {
  if (text.length <= most) return { text, leftOut: before };
  const head = text.slice(0, Math.ceil((most * 2) / 3)).replace(/[\ud800-\udbff]$/, "");
  const tail = text.slice(text.length - Math.floor(most / 3)).replace(/^[\udc00-\udfff]/, "");
  const leftOut = before + text.length - head.length - tail.length;
  return { text: `${head}\n[${marks.notShown(leftOut)}]\n${tail}`, leftOut };
}

/** As a block of Markdown that nothing in the text can end. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(longestTicks(text, 2) + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** One line as code, with every sign of it. */
export function codeLine(text: string): string {
  const ticks = "`".repeat(longestTicks(text, 0) + 1);
  if (text === "") return "` `";
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

function longestTicks(text: string, least: number): number {
  return (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), least);
}

/** With a backslash before them these would begin a formula. */
const references: Readonly<Record<string, string>> = { "(": "&#40;", ")": "&#41;", "[": "&#91;", "]": "&#93;" };

/** Words as a quote in which nothing is markup, with their lines. */
export function quotedText(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines
    .map((line, n) => {
      const [indent = ""] = /^[ \t]*/.exec(line) ?? [];
      const words = line.slice(indent.length).replace(/[!-/:-@[-`{-~]/g, (sign) => references[sign] ?? `\\${sign}`);
      const ends = words !== "" && (lines[n + 1] ?? "").trim() !== "" ? "\\" : "";
      return `> ${"\u00a0".repeat(indent.replaceAll("\t", "    ").length)}${words}${ends}`.trimEnd();
    })
    .join("\n");
}
