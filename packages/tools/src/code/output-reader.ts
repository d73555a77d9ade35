const headChars = 10_000;
const tailChars = 6_000;
/** A longer line is no request, and is not waited for. */
const longestRequest = 200;

/**
 * Takes what code prints as it comes: lines with the mark are requests, everything else is kept, its beginning and its end, so that
 * memory stays bounded.
 */
export class OutputReader {
  readonly #mark: string;
  readonly #onRequest: (number: number) => void;
  #open = "";
  #head = "";
  #tail = "";
  #leftOut = 0;
  /** An empty line that belongs to a request if one follows: it makes sure that the request begins a line. */
  #blank = "";
  #passed = "";

  constructor(mark: string, onRequest: (number: number) => void) {
    this.#mark = mark;
    this.#onRequest = onRequest;
  }

  /** What of it is surely no request. */
  add(text: string): string {
    this.#passed = "";
    const whole = this.#open + text;
    const end = whole.lastIndexOf("\n") + 1;
    for (const line of whole.slice(0, end).match(/[^\n]*\n/g) ?? []) this.#take(line);
    const rest = whole.slice(end);
    this.#open = rest.length > longestRequest ? "" : rest;
    if (rest.length > longestRequest) {
      this.#keep(this.#blank + rest);
      this.#blank = "";
    }
    return this.#passed;
  }

  /** All that was printed but requests. */
  end(): { readonly text: string; readonly leftOut: number } {
    this.#keep(this.#blank + this.#open);
    [this.#blank, this.#open] = ["", ""];
    const gap = this.#leftOut === 0 ? "" : `\n[${this.#leftOut} characters left out]\n`;
    return { text: (this.#head + gap + this.#tail).toWellFormed(), leftOut: this.#leftOut };
  }

  #take(line: string): void {
    const isRequest = line.startsWith(`${this.#mark} `);
    const number = isRequest ? Number(line.slice(this.#mark.length + 1)) : Number.NaN;
    if (Number.isSafeInteger(number) && number > 0) this.#onRequest(number);
    else this.#keep(this.#blank + (line === "\n" ? "" : line));
    this.#blank = line === "\n" ? line : "";
  }

  #keep(text: string): void {
    this.#passed += text;
    const room = headChars - this.#head.length;
    this.#head += text.slice(0, room);
    const tail = this.#tail + text.slice(Math.max(0, room));
    this.#leftOut += Math.max(0, tail.length - tailChars);
    this.#tail = tail.slice(-tailChars);
  }
}
