import type { Table } from "./dialect.ts";

/** A wider table would wrap on a phone and lose its columns. */
const widestAligned = 60;

export interface TableLayout {
  /** Whether the text is aligned in columns and needs a monospaced font. */
  readonly isAligned: boolean;
  readonly text: string;
}

/**
 * Lays out the words of a table, header first: in columns, at the side that each has, or with one line per row (`• name: Ada; age: 36`) when that
 * would be wider than `widest` letters.
 */
export function layOutTable(
  rows: readonly (readonly string[])[],
  align: Table<unknown>["align"],
  widest = widestAligned,
): TableLayout {
  const cells = rows.map((row) => row.map((cell) => cell.split(/\s*\n\s*/)));
  const widthOfCell = (lines: readonly string[] = []) => Math.max(0, ...lines.map(widthOf));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(1, ...cells.map((row) => widthOfCell(row[column]))));
  const total = widths.reduce((sum, width) => sum + width + 3, -3);
  return total > widest
    ? { isAligned: false, text: asLines(cells.map((row) => row.map((lines) => lines.join(" ")))) }
    : { isAligned: true, text: aligned(cells, widths, align) };
}

/** A cell of several lines makes its row several lines high. */
function aligned(
  cells: readonly (readonly (readonly string[])[])[],
  widths: readonly number[],
  align: Table<unknown>["align"],
): string {
  const lines = cells.map((row) => {
    const height = Math.max(1, ...row.map((cell) => cell.length));
    const line = (at: number) =>
      widths.map((width, column) => padded(row[column]?.[at] ?? "", width, align[column])).join(" | ");
    return Array.from({ length: height }, (_, at) => line(at).trimEnd()).join("\n");
  });
  const rule = widths.map((width) => "-".repeat(width)).join("-+-");
  return [lines[0] ?? "", rule, ...lines.slice(1)].join("\n");
}

function asLines([header = [], ...body]: readonly (readonly string[])[]): string {
  if (body.length === 0) return header.join(" | ");
  const named = (cell: string, column: number) => (header[column] ? `${header[column]}: ${cell}` : cell);
  return body.map((row) => `• ${row.map(named).join("; ")}`).join("\n");
}

function padded(cell: string, width: number, side: Table<unknown>["align"][number] = null): string {
  const blanks = Math.max(0, width - widthOf(cell));
  const before = side === "right" ? blanks : side === "center" ? Math.floor(blanks / 2) : 0;
  return " ".repeat(before) + cell + " ".repeat(blanks - before);
}

/** Columns on a screen: wide East Asian letters and emoji take two, marks none. */
function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += columnsOf(character);
  return width;
}

const marks = /\p{Mn}|\u200D|\uFE0F/u;
const wide = /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60]|\p{Emoji_Presentation}/u;

function columnsOf(character: string): number {
  if (marks.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}
