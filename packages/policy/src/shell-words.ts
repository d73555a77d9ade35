/** Stands in a word for what is only known when the command runs. */
export const unknownPart = "\u{e000}";

/** Braces and commas that were not quoted, until braces are expanded. */
const open = "\u{e001}";
const comma = "\u{e002}";
const close = "\u{e003}";

const mostWordsOfBraces = 64;
const mostWordChars = 4_000;

/** One command of a text for a shell, as far as it can be told without running it. */
export interface SimpleCommand {
  /** Quotes, known variables and braces resolved; `unknownPart` where that was impossible. */
  readonly words: readonly string[];
  /** Files that it writes by redirection. */
  readonly writes: readonly string[];
  /** What it reads from a here-document or a here-string. */
  readonly input?: string;
  /** The command whose output it reads. */
  readonly pipedFrom?: SimpleCommand;
}

/** A command while it is read. */
export interface OpenCommand {
  words: string[];
  writes: string[];
  input?: string;
  pipedFrom?: SimpleCommand;
}

/** A word while it is read. */
export class OpenWord {
  #text = "";
  /** A word of nothing but quotes is there, too. */
  #isThere = false;

  get isEmpty(): boolean {
    return !this.#isThere;
  }

  get text(): string {
    return this.#text;
  }

  add(text: string): void {
    if (this.#text.length < mostWordChars) this.#text += text;
    this.#isThere = true;
  }

  /** A character without quotes around it. */
  addBare(character: string): void {
    this.add(character === "{" ? open : character === "," ? comma : character === "}" ? close : character);
  }

  /** The words that it stands for, and an empty word afterwards. */
  take(): readonly string[] {
    if (!this.#isThere) return [];
    const words = expandBraces(this.#text).map(plainBraces);
    this.#text = "";
    this.#isThere = false;
    return words;
  }
}

/** `a{b,c}` is `ab` and `ac`. Beyond 64 words the rest stays as it is. */
function expandBraces(word: string): readonly string[] {
  let words = [word];
  for (let round = 0; round < 8 && words.length < mostWordsOfBraces; round += 1) {
    const next = words.flatMap(expandOne);
    if (next.every((one, index) => one === words[index])) break;
    words = next.slice(0, mostWordsOfBraces);
  }
  return words;
}

function expandOne(word: string): readonly string[] {
  const end = word.indexOf(close);
  const start = end < 0 ? -1 : word.lastIndexOf(open, end);
  if (start < 0) return [word];
  const inner = word.slice(start + 1, end);
  if (!inner.includes(comma)) return [`${word.slice(0, start)}{${inner}}${word.slice(end + 1)}`];
  return inner.split(comma, mostWordsOfBraces).map((part) => word.slice(0, start) + part + word.slice(end + 1));
}

function plainBraces(word: string): string {
  return word.replaceAll(open, "{").replaceAll(comma, ",").replaceAll(close, "}");
}

/** The text of `$'...'` without its escapes. */
export function ansiText(escaped: string): string {
  const named: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", e: "\x1b", E: "\x1b", a: "\x07" };
  return escaped.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,6})|([0-7]{1,3})|(.))/gs,
    (_, x?: string, u?: string, long?: string, octal?: string, other?: string) => {
      const hex = x ?? u ?? long;
      if (hex !== undefined) return characterOf(Number.parseInt(hex, 16));
      if (octal !== undefined) return characterOf(Number.parseInt(octal, 8));
      return named[other ?? ""] ?? other ?? "";
    },
  );
}

function characterOf(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : unknownPart;
}
