/** An atom keeps its letters; a string is what was quoted or sent as a literal; a list holds further words. */
export type ImapWord = string | { readonly text: string } | readonly ImapWord[];

export interface ImapCommand {
  readonly tag: string;
  /** Upper case, `UID FETCH` as one. */
  readonly name: string;
  readonly words: readonly ImapWord[];
}

/** Collects lines and literals into commands. `continue` is called for each literal the client waits to send. */
export class ImapCommandReader {
  readonly #onCommand: (line: string) => void;
  readonly #proceed: () => void;
  #pending = "";
  #line = "";
  #literalBytes = 0;

  constructor(onCommand: (line: string) => void, proceed: () => void) {
    this.#onCommand = onCommand;
    this.#proceed = proceed;
  }

  /** Latin1. */
  push(data: string): void {
    this.#pending += data;
    for (;;) {
      if (this.#literalBytes > 0) {
        if (this.#pending.length < this.#literalBytes) return;
        this.#line += this.#pending.slice(0, this.#literalBytes);
        this.#pending = this.#pending.slice(this.#literalBytes);
        this.#literalBytes = 0;
      }
      const end = this.#pending.indexOf("\r\n");
      if (end === -1) return;
      const text = this.#pending.slice(0, end);
      this.#pending = this.#pending.slice(end + 2);
      this.#take(text);
    }
  }

  #take(text: string): void {
    const literal = /\{(\d+)(\+?)\}$/.exec(text);
    if (literal === null) {
      const line = this.#line + text;
      this.#line = "";
      this.#onCommand(line);
      return;
    }
    this.#line += `${text}\r\n`;
    this.#literalBytes = Number(literal[1]);
    if (literal[2] === "") this.#proceed();
  }
}

/** Undefined for what is no command at all. */
export function parseCommand(line: string): ImapCommand | undefined {
  const [, tag, first, rest = ""] = /^([^\s(){%*"\\+]+) ([A-Za-z]+)(?: ([\s\S]*))?$/.exec(line) ?? [];
  if (tag === undefined || first === undefined) return undefined;
  const words = wordsOf(rest);
  if (words === undefined) return undefined;
  const [second] = words;
  if (first.toUpperCase() === "UID" && typeof second === "string")
    return { tag, name: `UID ${second.toUpperCase()}`, words: words.slice(1) };
  return { tag, name: first.toUpperCase(), words };
}

/** The text of an atom or string; a list has none. */
export function textOfWord(word: ImapWord | undefined): string {
  if (word === undefined || Array.isArray(word)) return "";
  return typeof word === "string" ? word : (word as { text: string }).text;
}

function wordsOf(text: string): ImapWord[] | undefined {
  const root: ImapWord[] = [];
  const open: ImapWord[][] = [root];
  for (let at = 0; at < text.length; ) {
    const into = open.at(-1);
    if (into === undefined) return undefined;
    const rest = text.slice(at);
    const space = /^ +/.exec(rest);
    const literal = /^\{(\d+)\+?\}\r\n/.exec(rest);
    const string = /^"((?:\\.|[^"\\])*)"/.exec(rest);
    // Sections hold spaces and parentheses: BODY.PEEK[HEADER.FIELDS (X)]<0.10>
    const atom = /^[^\s()"{[]+(?:\[[^\]]*\](?:<[\d.]+>)?)?/.exec(rest);
    if (space) at += space[0].length;
    else if (rest.startsWith("(")) {
      const list: ImapWord[] = [];
      into.push(list);
      open.push(list);
      at += 1;
    } else if (rest.startsWith(")")) {
      open.pop();
      at += 1;
    } else if (literal) {
      const start = literal[0].length;
      const length = Number(literal[1]);
      into.push({ text: rest.slice(start, start + length) });
      at += start + length;
    } else if (string) {
      into.push({ text: (string[1] ?? "").replace(/\\(.)/g, "$1") });
      at += string[0].length;
    } else if (atom) {
      into.push(atom[0]);
      at += atom[0].length;
    } else return undefined;
  }
  return open.length === 1 ? root : undefined;
}
