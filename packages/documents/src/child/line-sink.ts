/** A longer line goes on in the next one. */
const longestLine = 2_000;
/** How far back a line is broken at a space. */
const breakWithin = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to be left out.
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

export interface WantedLines {
  /** From 1 on. */
  readonly first: number;
  readonly most: number;
  /** Of all lines together. The first line is taken anyhow. */
  readonly mostChars: number;
}

/** Takes the text of a part as it comes and keeps the wanted lines of it, so that no part is in memory as a whole. */
export class LineSink {
  readonly lines: string[] = [];
  readonly #wanted: WantedLines;
  #open = "";
  #number = 1;
  #chars = 0;
  #wasBlank = true;
  #isFull = false;

  constructor(wanted: WantedLines) {
    this.#wanted = wanted;
  }

  /** There is a line behind those that were wanted: nothing more is taken. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Lines so far, wanted or not. */
  get count(): number {
    return this.#number - 1;
  }

  get chars(): number {
    return this.#chars;
  }

  /** Line feeds end lines. */
  write(text: string): void {
    let from = 0;
    for (let at = text.indexOf("\n"); at !== -1 && !this.#isFull; at = text.indexOf("\n", from)) {
      this.#extend(text, from, at);
      this.#close();
      from = at + 1;
    }
    this.#extend(text, from, text.length);
  }

  line(text: string): void {
    this.write(text);
    this.endLine();
  }

  /** Begins a line, unless one has just begun. */
  endLine(): void {
    if (this.#open !== "") this.#close();
  }

  /** Of blank lines one is kept. */
  blank(): void {
    this.endLine();
    this.#close();
  }

  #extend(text: string, from: number, to: number): void {
    for (let at = from; at < to && !this.#isFull; ) {
      const piece = text.slice(at, Math.min(to, at + longestLine));
      this.#open += piece;
      at += piece.length;
      while (this.#open.length > longestLine && !this.#isFull) this.#break();
    }
  }

  /** At a space, and between no halves of a character. */
  #break(): void {
    const space = this.#open.lastIndexOf(" ", longestLine);
    const isHalf = /[\ud800-\udbff]/.test(this.#open[longestLine - 1] ?? "");
    const end = space > longestLine - breakWithin ? space : longestLine - (isHalf ? 1 : 0);
    const rest = this.#open.slice(end).trimStart();
    this.#open = this.#open.slice(0, end);
    this.#close();
    this.#open = rest;
  }

  #close(): void {
    const line = this.#open.replace(controls, "").toWellFormed();
    this.#open = "";
    if (this.#isFull) return;
    const kept = line.trimEnd();
    if (kept === "" && this.#wasBlank) return;
    this.#wasBlank = kept === "";
    this.#take(kept);
  }

  #take(line: string): void {
    const { first, most, mostChars } = this.#wanted;
    if (this.#number >= first) {
      const isTooMuch = this.lines.length > 0 && this.#chars + line.length > mostChars;
      if (this.lines.length >= most || isTooMuch) {
        this.#isFull = true;
        return;
      }
      this.lines.push(line);
      this.#chars += line.length + 1;
    }
    this.#number += 1;
  }
}
