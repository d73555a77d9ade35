import { attribute, readXml } from "../xml.ts";
import type { ZipParts } from "../zip-parts.ts";

const dayMs = 86_400_000;
/** Built-in formats of dates and times (ECMA-376 part 1, 18.8.30), also those of East Asian languages. */
const builtIn = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);
const lastDay = 2_958_465;

/** Which styles show a number as a date: cells hold nothing but the number of the day. */
export class DateFormats {
  readonly #isDate: readonly boolean[];
  readonly #is1904: boolean;

  private constructor(isDate: readonly boolean[], is1904: boolean) {
    this.#isDate = isDate;
    this.#is1904 = is1904;
  }

  static async read(parts: ZipParts, styles: string | undefined, is1904: boolean): Promise<DateFormats> {
    const own = new Map<number, boolean>();
    const isDate: boolean[] = [];
    let isCells = false;
    if (styles !== undefined) {
      await readXml(parts.chunks(styles), {
        open: (name, attributes) => {
          const id = Number(attribute(attributes, "numFmtId"));
          if (name === "cellXfs") isCells = true;
          else if (name === "numFmt") own.set(id, isDateCode(attribute(attributes, "formatCode") ?? ""));
          else if (name === "xf" && isCells) isDate.push(own.get(id) ?? builtIn(id));
        },
        close: (name) => {
          if (name === "cellXfs") isCells = false;
        },
      });
    }
    return new DateFormats(isDate, is1904);
  }

  /** A number as people see it, as far as that matters: `2026-05-03`, `2026-05-03 14:30`, `14:30`, `0.3`. */
  shown(value: string, style: number): string {
    const number = Number(value);
    if (!Number.isFinite(number)) return value;
    if (this.#isDate[style] && number >= 0 && number <= lastDay) return this.#date(number);
    return String(Number(number.toPrecision(15)));
  }

  /** The first days are counted with a 29 February 1900 that never was. */
  #date(number: number): string {
    const days = this.#is1904 ? number + 1_462 : number < 60 ? number + 1 : number;
    const seconds = Math.round(days * 86_400) * 1_000;
    const text = new Date(seconds - 25_569 * dayMs).toISOString();
    const [date = "", time = ""] = text.split("T");
    const clock = time.startsWith("00:00:00") ? "" : time.slice(0, time.slice(6, 8) === "00" ? 5 : 8);
    if (number < 1) return clock === "" ? "00:00" : clock;
    return clock === "" ? date : `${date} ${clock}`;
  }
}

/** Quoted words, escaped signs, colours and currencies are no codes. */
function isDateCode(code: string): boolean {
  const first =
    code
      .slice(0, 500)
      .replace(/"[^"]*"?|\\.|\[[^\]]*\]|_.|\*./g, "")
      .split(";")[0] ?? "";
  return /[dmyhs]/i.test(first) && !/^general$/i.test(first.trim());
}
