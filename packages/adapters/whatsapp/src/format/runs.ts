/** How a stretch of text looks. `raw` is shown as it is and never escaped, as an address must be. */
export interface Look {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly raw?: boolean;
}

export interface Run {
  readonly text: string;
  readonly look: Look;
}

export function wordsOf(runs: readonly Run[]): string {
  return runs.map(({ text }) => text).join("");
}

/**
 * Writes runs in WhatsApp's dialect: `*bold*`, `_italic_`, `~struck~`, and code between backticks. WhatsApp formats
 * within one line, and only where a mark stands between white space or punctuation and the text; where it would not, the
 * text goes without. It has no escapes: a zero-width space behind a mark that people wrote keeps it a letter.
 */
export function writeRuns(runs: readonly Run[]): string {
  return linesOf(merged(runs)).map(writeLine).join("\n");
}

/** Kept apart from the mark it follows; WhatsApp takes a mark before white space for a letter. Not proven for all its apps. */
const apart = "\u200B";

const marks = { bold: "*", italic: "_", strike: "~", code: "`" } as const;
const styles = ["bold", "italic", "strike", "code"] as const;
const markCharacter = /[*_~`]/g;

function merged(runs: readonly Run[]): readonly Run[] {
  const result: Run[] = [];
  for (const run of runs) {
    const last = result.at(-1);
    if (last !== undefined && isSameLook(last.look, run.look))
      result.splice(-1, 1, { ...last, text: last.text + run.text });
    else if (run.text !== "") result.push(run);
  }
  return result;
}

function isSameLook(one: Look, other: Look): boolean {
  return [...styles, "raw" as const].every((style) => Boolean(one[style]) === Boolean(other[style]));
}

function linesOf(runs: readonly Run[]): readonly (readonly Run[])[] {
  const lines: Run[][] = [[]];
  for (const { text, look } of runs)
    for (const [n, part] of text.split("\n").entries()) {
      if (n > 0) lines.push([]);
      if (part !== "") lines.at(-1)?.push({ text: part, look });
    }
  return lines;
}

function writeLine(runs: readonly Run[]): string {
  const whole = wordsOf(runs);
  const isFormatted = runs.some(({ look }) => styles.some((style) => look[style]));
  let at = 0;
  let written = "";
  for (const { text, look } of runs) {
    const from = at;
    at += text.length;
    const [, before = "", core = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
    const used = usedStyles(core, look, { whole, from: from + before.length });
    const isCode = used.includes("code");
    const shown =
      look.raw || isCode
        ? core.replaceAll("`", isCode ? "ˋ" : "`")
        : escaped(core, { whole, from: from + before.length, isFormatted });
    const open = used.map((style) => marks[style]).join("");
    written += before + open + shown + [...open].reverse().join("") + after;
  }
  const isPlainStart = runs[0] !== undefined && !runs[0].look.raw && !runs[0].look.code;
  // A quote or a list would begin here.
  return isPlainStart ? written.replace(/^(\s*)(?=>|[-*] )/, `$1${apart}`) : written;
}

interface Place {
  /** The line as people read it. */
  readonly whole: string;
  /** Where the text begins in it. */
  readonly from: number;
}

/** The styles that WhatsApp would show here. */
function usedStyles(core: string, look: Look, { whole, from }: Place): readonly (typeof styles)[number][] {
  if (core === "" || look.raw) return [];
  if (!isBoundary(characterBefore(whole, from)) || !isBoundary(characterAt(whole, from + core.length))) return [];
  return styles.filter((style) => look[style] && (style === "code" || look.code || !core.includes(marks[style])));
}

/** Marks that would begin a formatted stretch become letters. */
function escaped(text: string, { whole, from, isFormatted }: Place & { readonly isFormatted: boolean }): string {
  return text.replace(markCharacter, (mark, index: number) => {
    const at = from + index;
    const next = whole.charAt(at + 1);
    const opens = next !== "" && !/\s/.test(next) && !/[\p{L}\p{N}]/u.test(characterBefore(whole, at));
    const isClosed = isFormatted || whole.lastIndexOf(mark) > at;
    return opens && isClosed ? mark + apart : mark;
  });
}

/** Beside white space, at the ends of a line, and beside punctuation that is no mark itself. */
function isBoundary(character: string): boolean {
  return character === "" || !/[\p{L}\p{N}\p{M}*_~`]/u.test(character);
}

function characterBefore(text: string, index: number): string {
  return [...text.slice(Math.max(0, index - 2), index)].at(-1) ?? "";
}

function characterAt(text: string, index: number): string {
  const point = text.codePointAt(index);
  return point === undefined ? "" : String.fromCodePoint(point);
}
