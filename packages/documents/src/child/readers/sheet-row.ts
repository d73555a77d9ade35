import type { LineSink } from "../line-sink.ts";

/** More empty cells are not drawn: the next one says where it stands. */
const mostGap = 8;
const longestCell = 32_767;

/** A row as a line: its number, then its cells from column A on, with tabs between them. */
export class SheetRow {
  readonly #sink: LineSink;
  #line = "";
  #column = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  /** `column` counts from 0 on; nothing is drawn for an empty text. */
  add(column: number, text: string): void {
    const cell = text.slice(0, longestCell).trim().replace(/\s+/g, " ");
    if (cell === "") return;
    const gap = column - this.#column;
    const isFar = gap > mostGap || gap < 0;
    this.#line += isFar ? `\t[${columnName(column)}] ${cell}` : `${"\t".repeat(gap + 1)}${cell}`;
    this.#column = column + 1;
  }

  /** Rows without anything are left out. */
  end(number: number): void {
    if (this.#line !== "") this.#sink.line(`${number}${this.#line}`);
    this.#line = "";
    this.#column = 0;
  }
}

/** 0: `A`, 26: `AA`. */
function columnName(column: number): string {
  let name = "";
  for (let rest = column; rest >= 0; rest = Math.floor(rest / 26) - 1) {
    name = String.fromCharCode(65 + (rest % 26)) + name;
  }
  return name;
}

/** `AB12`: 27. Undefined for what is no address of a cell. */
export function columnOf(address: string): number | undefined {
  const letters = /^\$?([A-Za-z]{1,3})\$?\d{1,7}$/.exec(address)?.[1]?.toUpperCase();
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
