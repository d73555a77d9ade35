import type { LineSink } from "../line-sink.ts";
import { attribute, type XmlAttributes, type XmlSink } from "../xml.ts";
import { SheetRow } from "./sheet-row.ts";

/** What spreadsheet programs know at most; a document may claim anything. */
const mostColumns = 16_384;
const mostRows = 1_048_576;
/** A row that is repeated is written so often. */
const mostSameRows = 100;
/** So is a cell. */
const mostSameCells = 100;
const longestCell = 40_000;

/** One sheet of a spreadsheet to lines: of numbers and dates their values, of all others what is shown. */
export class OdfSheet implements XmlSink {
  readonly #sink: LineSink;
  readonly #index: number;
  #tables = 0;
  #sheets = -1;
  #row = 0;
  #rowTimes = 1;
  #cells: (readonly [column: number, text: string])[] = [];
  #column = 0;
  #times = 1;
  #value: string | undefined;
  #shown = "";
  #paragraphs = 0;
  #comments = 0;

  constructor(sink: LineSink, index: number) {
    this.#sink = sink;
    this.#index = index;
  }

  get isDone(): boolean {
    return this.#sink.isFull || this.#sheets > this.#index;
  }

  open(name: string, attributes: XmlAttributes): void {
    if (name === "table") {
      if (this.#tables === 0) this.#sheets += 1;
      this.#tables += 1;
    }
    if (this.#sheets !== this.#index || this.#tables !== 1) return;
    if (name === "table-row") {
      this.#rowTimes = timesIn(attributes, "number-rows-repeated", mostRows);
      this.#cells = [];
      this.#column = 0;
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#times = timesIn(attributes, "number-columns-repeated", mostColumns);
      this.#value = shownValue(attributes);
      this.#shown = "";
    } else if (name === "p") {
      if (this.#shown !== "") this.#shown += " ";
      this.#paragraphs += 1;
    } else if (name === "annotation") this.#comments += 1;
    else if (name === "s" || name === "tab" || name === "line-break") this.#shown += " ";
  }

  close(name: string): void {
    if (name === "table") this.#tables -= 1;
    if (this.#sheets !== this.#index || this.#tables !== 1) return;
    if (name === "p") this.#paragraphs -= 1;
    else if (name === "annotation") this.#comments -= 1;
    else if (name === "table-cell" || name === "covered-table-cell") this.#endCell();
    else if (name === "table-row") this.#endRow();
  }

  text(text: string): void {
    if (this.#paragraphs > 0 && this.#comments === 0 && this.#shown.length < longestCell) this.#shown += text;
  }

  #endCell(): void {
    const text = this.#value ?? this.#shown;
    if (text.trim() !== "" && this.#column < mostColumns) {
      for (let n = 0; n < Math.min(this.#times, mostSameCells); n += 1) this.#cells.push([this.#column + n, text]);
    }
    this.#column += this.#times;
  }

  #endRow(): void {
    if (this.#cells.length > 0) {
      for (let n = 1; n <= Math.min(this.#rowTimes, mostSameRows) && !this.#sink.isFull; n += 1) {
        const row = new SheetRow(this.#sink);
        for (const [column, text] of this.#cells) row.add(column, text);
        row.end(this.#row + n);
      }
      if (this.#rowTimes > mostSameRows) this.#sink.line(`[the same row down to ${this.#row + this.#rowTimes}]`);
    }
    this.#row += this.#rowTimes;
  }
}

function timesIn(attributes: XmlAttributes, name: string, most: number): number {
  const times = Number(attribute(attributes, name) ?? 1);
  return Number.isInteger(times) && times > 0 ? Math.min(times, most) : 1;
}

/** Undefined: what is shown says it. */
function shownValue(attributes: XmlAttributes): string | undefined {
  switch (attribute(attributes, "value-type")) {
    case "float":
    case "percentage":
    case "currency":
      return attributes["office:value"];
    case "date":
      return attributes["office:date-value"]?.replace("T00:00:00", "").replace("T", " ");
    case "boolean":
      return attributes["office:boolean-value"]?.toUpperCase();
    default:
      return undefined;
  }
}
