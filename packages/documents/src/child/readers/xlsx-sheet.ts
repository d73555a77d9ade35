import type { LineSink } from "../line-sink.ts";
import { attribute, type XmlAttributes, type XmlSink } from "../xml.ts";
import { columnOf, SheetRow } from "./sheet-row.ts";
import type { DateFormats } from "./xlsx-dates.ts";

const longestValue = 40_000;

/** Cells of SpreadsheetML (ECMA-376 part 1, 18.3) to lines. */
export class SheetText implements XmlSink {
  readonly #sink: LineSink;
  readonly #row: SheetRow;
  readonly #strings: readonly string[];
  readonly #dates: DateFormats;
  #number = 0;
  #column = -1;
  #type = "";
  #style = 0;
  #value = "";
  #inline = "";
  #formula = "";
  #reading: "v" | "f" | "t" | undefined;
  #phonetics = 0;

  constructor(sink: LineSink, strings: readonly string[], dates: DateFormats) {
    this.#sink = sink;
    this.#row = new SheetRow(sink);
    this.#strings = strings;
    this.#dates = dates;
  }

  get isDone(): boolean {
    return this.#sink.isFull;
  }

  open(name: string, attributes: XmlAttributes): void {
    switch (name) {
      case "row":
        this.#number = Number(attribute(attributes, "r")) || this.#number + 1;
        this.#column = -1;
        break;
      case "c":
        this.#column = columnOf(attribute(attributes, "r") ?? "") ?? this.#column + 1;
        this.#type = attribute(attributes, "t") ?? "n";
        this.#style = Number(attribute(attributes, "s")) || 0;
        this.#value = this.#inline = this.#formula = "";
        break;
      case "rPh":
        this.#phonetics += 1;
        break;
      case "v":
      case "f":
      case "t":
        this.#reading = this.#phonetics === 0 ? name : undefined;
        break;
      default:
    }
  }

  close(name: string): void {
    if (name === "c") this.#row.add(this.#column, this.#shown());
    else if (name === "row") this.#row.end(this.#number);
    else if (name === "rPh") this.#phonetics -= 1;
    else if (name === this.#reading) this.#reading = undefined;
  }

  text(text: string): void {
    if (this.#reading === "v" && this.#value.length < longestValue) this.#value += text;
    else if (this.#reading === "t" && this.#inline.length < longestValue) this.#inline += text;
    else if (this.#reading === "f" && this.#formula.length < longestValue) this.#formula += text;
  }

  /** A formula is shown where no program has calculated it. */
  #shown(): string {
    const value = this.#value.trim();
    if (value === "" && this.#inline === "") return this.#formula === "" ? "" : `=${this.#formula}`;
    switch (this.#type) {
      case "s":
        return this.#strings[Number(value)] ?? "";
      case "inlineStr":
        return this.#inline;
      case "b":
        return value === "1" ? "TRUE" : "FALSE";
      case "n":
        return this.#dates.shown(value, this.#style);
      default:
        return value;
    }
  }
}
