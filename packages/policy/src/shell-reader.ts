import { ShellVariables } from "./shell-variables.ts";
import { ansiText, type OpenCommand, OpenWord, type SimpleCommand, unknownPart } from "./shell-words.ts";

const deepest = 8;

export interface ShellText {
  /** In the order of the text, those of substitutions included. */
  readonly commands: readonly SimpleCommand[];
  /** Substitutions are nested more deeply than is read. */
  readonly isTooDeep: boolean;
}

/**
 * Reads a text for a POSIX shell or Bash far enough to say which commands stand in it. It runs nothing and knows only
 * variables that the text itself sets; whatever is computed stays unknown. Takes time in proportion to the text.
 */
export function readShell(text: string): ShellText {
  const found: SimpleCommand[] = [];
  const isTooDeep = new ShellReader(text, found, new ShellVariables(), 0).read();
  return { commands: found, isTooDeep };
}

class ShellReader {
  readonly #text: string;
  readonly #found: SimpleCommand[];
  readonly #variables: ShellVariables;
  readonly #depth: number;
  readonly #word = new OpenWord();
  #command: OpenCommand = { words: [], writes: [] };
  /** What the next word is for. */
  #next: "word" | "written" | "skipped" | "here-string" | "here-document" = "word";
  #delimiters: { readonly end: string; readonly command: OpenCommand }[] = [];
  #at = 0;
  #isTooDeep = false;

  constructor(text: string, found: SimpleCommand[], variables: ShellVariables, depth: number) {
    this.#text = text;
    this.#found = found;
    this.#variables = variables;
    this.#depth = depth;
  }

  read(): boolean {
    while (this.#at < this.#text.length) this.#step(this.#text.charAt(this.#at));
    this.#endCommand(false);
    return this.#isTooDeep;
  }

  #step(character: string): void {
    const after = this.#text.charAt(this.#at + 1);
    if (character === "\\") this.#escaped(after);
    else if (character === "'") this.#quoted("'", (inner) => inner);
    else if (character === '"') this.#doubleQuoted();
    else if (character === "`") this.#substitute(this.#until("`", this.#at + 1), false);
    else if (character === "$") this.#dollar(after, false);
    else if ((character === "<" || character === ">") && after === "(") this.#process();
    else if (character === "<" || character === ">") this.#redirect(character);
    else if (character === "&" && after === ">") this.#at += 1;
    else if (character === "#" && this.#word.isEmpty) this.#at = this.#endOfLine();
    else if (character === "\n") this.#endLine();
    else if (";&|()".includes(character)) this.#separator(character, after);
    else if (/\s/.test(character)) this.#space();
    else {
      this.#word.addBare(character);
      this.#at += 1;
    }
  }

  #escaped(after: string): void {
    if (after !== "\n") this.#word.add(after);
    this.#at += 2;
  }

  #quoted(quote: string, read: (inner: string) => string): void {
    const end = this.#until(quote, this.#at + 1);
    this.#word.add(read(this.#text.slice(this.#at + 1, end)));
    this.#at = end + 1;
  }

  #doubleQuoted(): void {
    this.#word.add("");
    this.#at += 1;
    while (this.#at < this.#text.length && this.#text.charAt(this.#at) !== '"') {
      const character = this.#text.charAt(this.#at);
      const after = this.#text.charAt(this.#at + 1);
      if (character === "\\") {
        if (after !== "\n") this.#word.add('$`"\\'.includes(after) ? after : `\\${after}`);
        this.#at += 2;
      } else if (character === "`") this.#substitute(this.#until("`", this.#at + 1), true);
      else if (character === "$") this.#dollar(after, true);
      else {
        this.#word.add(character);
        this.#at += 1;
      }
    }
    this.#at += 1;
  }

  #dollar(after: string, isQuoted: boolean): void {
    if (after === "'" && !isQuoted) {
      this.#at += 1;
      this.#quoted("'", ansiText);
    } else if (after === '"' && !isQuoted) this.#at += 1;
    else if (after === "(") {
      this.#at += 1;
      this.#substitute(this.#closing(this.#at + 1), isQuoted);
    } else {
      const { value, end } = this.#variables.expand(this.#text, this.#at);
      this.#at = end;
      this.#addValue(value, isQuoted && after !== "@");
    }
  }

  /** Reads the commands between the present character and `end`; the output is known only of an `echo`. */
  #substitute(end: number, isQuoted: boolean): void {
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const commands = this.#nested(inner);
    const [first, ...rest] = commands;
    const isEcho = rest.length === 0 && (first?.words[0] === "echo" || first?.words[0] === "printf");
    this.#addValue(isEcho && first !== undefined ? echoed(first) : unknownPart, isQuoted);
  }

  #process(): void {
    this.#at += 1;
    const end = this.#closing(this.#at + 1);
    const inner = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const [first] = this.#nested(inner);
    this.#word.add(unknownPart);
    if (first !== undefined && this.#command.pipedFrom === undefined) this.#command.pipedFrom = first;
  }

  #nested(inner: string): readonly SimpleCommand[] {
    if (this.#depth >= deepest) {
      this.#isTooDeep = true;
      return [];
    }
    const from = this.#found.length;
    if (new ShellReader(inner, this.#found, this.#variables, this.#depth + 1).read()) this.#isTooDeep = true;
    return this.#found.slice(from);
  }

  #addValue(value: string, isQuoted: boolean): void {
    if (isQuoted) {
      this.#word.add(value);
      return;
    }
    for (const [index, part] of value.split(/\s+/).entries()) {
      if (index > 0) this.#endWord();
      if (part !== "") this.#word.add(part);
    }
  }

  #redirect(character: string): void {
    if (/^\d+$/.test(this.#word.text)) this.#word.take();
    this.#endWord();
    const operator =
      /^(?:<<<|<<-?|<>|<&|<|>>|>\||>&|>)/.exec(this.#text.slice(this.#at, this.#at + 3))?.[0] ?? character;
    this.#at += operator.length;
    if (operator === "<<<") this.#next = "here-string";
    else if (operator.startsWith("<<")) this.#next = "here-document";
    else this.#next = operator === "<" || operator === "<&" ? "skipped" : "written";
  }

  #space(): void {
    this.#endWord();
    this.#at += 1;
  }

  #separator(character: string, after: string): void {
    const isPipe = character === "|" && after !== "|";
    this.#endCommand(isPipe);
    this.#at += (character === "|" || character === "&") && (after === character || after === "&") ? 2 : 1;
  }

  #endLine(): void {
    this.#endCommand(false);
    this.#at += 1;
    for (const { end, command } of this.#delimiters.splice(0)) command.input = this.#document(end);
  }

  /** The lines up to `end`, and moves behind it. */
  #document(end: string): string {
    const lines: string[] = [];
    while (this.#at < this.#text.length) {
      const stop = this.#endOfLine();
      const line = this.#text.slice(this.#at, stop);
      this.#at = stop + 1;
      if (line.replace(/^\t+/, "") === end) break;
      lines.push(line);
    }
    return lines.join("\n");
  }

  #endWord(): void {
    for (const word of this.#word.take()) this.#place(word);
  }

  #place(word: string): void {
    const purpose = this.#next;
    this.#next = "word";
    if (purpose === "written") this.#command.writes.push(word);
    else if (purpose === "here-string") this.#command.input = word;
    else if (purpose === "here-document") this.#delimiters.push({ end: word, command: this.#command });
    else if (purpose === "word") this.#command.words.push(word);
  }

  #endCommand(isPiped: boolean): void {
    this.#endWord();
    const ended = this.#command;
    this.#command = { words: [], writes: [] };
    if (ended.words.length === 0 && ended.writes.length === 0) return;
    ended.words = [...this.#variables.note(ended.words)];
    this.#found.push(ended);
    if (isPiped) this.#command.pipedFrom = ended;
  }

  #until(character: string, from: number): number {
    const end = this.#text.indexOf(character, from);
    return end < 0 ? this.#text.length : end;
  }

  #endOfLine(): number {
    return this.#until("\n", this.#at);
  }

  /** The position of the bracket that closes the one before `from`. */
  #closing(from: number): number {
    let depth = 1;
    for (let at = from; at < this.#text.length; at += 1) {
      const character = this.#text.charAt(at);
      if (character === "\\") at += 1;
      else if (character === "'") at = this.#until("'", at + 1);
      else if (character === "(") depth += 1;
      else if (character === ")") depth -= 1;
      if (depth === 0) return at;
    }
    return this.#text.length;
  }
}

/** What `echo` or `printf` would print of these words, roughly. */
export function echoed({ words }: SimpleCommand): string {
  const shown = words.slice(1).filter((word) => !/^-[neE]+$/.test(word));
  const isFormat = words[0] === "printf" && /%[sb]/.test(shown[0] ?? "");
  return ansiText((isFormat ? shown.slice(1) : shown).join(" "));
}
