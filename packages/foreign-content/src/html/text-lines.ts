/** More levels of quotes are drawn like so many. */
const deepestQuote = 8;

/** Builds a plain text line by line. Each call costs what it adds. */
export class TextLines {
  readonly #lines: string[] = [];
  #line = "";
  /** Whether the line has a character that is no white space. */
  #hasInk = false;
  #endsInSpace = false;
  #quotes = 0;

  /** Whether nothing stands on the line yet. */
  get isLineEmpty(): boolean {
    return this.#line.length === 0;
  }

  /** The lines that follow are quoted one level deeper (1) or less deep (-1). */
  quote(change: 1 | -1): void {
    this.#quotes += change;
  }

  /** Adds text of one line. */
  add(text: string): void {
    if (text === "") return;
    if (this.#line.length === 0) this.#line = "> ".repeat(Math.min(this.#quotes, deepestQuote));
    this.#line += text;
    this.#hasInk ||= text.trim() !== "";
    this.#endsInSpace = text.endsWith(" ");
  }

  /** Adds running text: any white space is one space, none at the start of a line. */
  addFlowing(text: string): void {
    const flat = text.replace(/\s+/g, " ");
    this.add(this.#line.length === 0 || this.#endsInSpace ? flat.trimStart() : flat);
  }

  /** Adds text whose line breaks count. */
  addLines(text: string): void {
    const [first = "", ...rest] = text.split(/\r?\n/);
    this.add(first);
    for (const line of rest) {
      this.break();
      this.add(line);
    }
  }

  break(): void {
    this.#lines.push(this.#line.trimEnd());
    this.#line = "";
    this.#hasInk = false;
    this.#endsInSpace = false;
  }

  /** Begins a new line unless the current one is still blank, and with `isSpaced` leaves a blank one between. */
  block(isSpaced: boolean): void {
    if (this.#hasInk) this.break();
    if (isSpaced && (this.#lines.at(-1) ?? "") !== "") this.break();
  }

  /** The text without blank lines at its ends, and never two blank lines in a row. */
  toString(): string {
    const text = [...this.#lines, this.#line.trimEnd()].join("\n");
    return text.replace(/^(?:> ?)*\n(?=(?:(?:> ?)*\n))/gm, "").trim();
  }
}
