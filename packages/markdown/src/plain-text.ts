import { addressBeside } from "./address-beside.ts";
import type { Dialect, List, ListItem, Place } from "./dialect.ts";
import { layOutTable } from "./lay-out-table.ts";

/** How pieces of plain strings are joined: the common part of dialects that write strings. */
export const stringPieces = {
  concat: (parts: readonly string[]) => parts.join(""),
  stack: (blocks: readonly string[], place: Place) => blocks.join(blockGap(place)),
  isEmpty: (piece: string) => piece === "",
} as const;

/** Markdown for readers without any formatting: mail as text, notifications, logs. */
export const plainText: Dialect<string> = {
  ...stringPieces,
  text: (words) => words,
  strong: (inner) => inner,
  emphasis: (inner) => inner,
  strike: (inner) => inner,
  code: (value) => value,
  lineBreak: () => "\n",
  link: ({ url, words }) => words + addressBeside(words, url) || url,
  image: ({ url, alt }) => alt + addressBeside(alt, url) || url,
  footnoteMark: (label) => `[${label}]`,
  heading: (inner) => inner,
  paragraph: (inner) => inner,
  quote: (inner) =>
    inner === "" ? "" : inner.replaceAll(/^(?=(.?))/gm, (_, next: string) => (next === "" ? ">" : "> ")),
  list: (list) => listLines(list, "- "),
  codeBlock: (value) => value,
  table: ({ rows, align }) =>
    layOutTable(
      rows.map((row) => row.map(({ words }) => words)),
      align,
    ).text,
  rule: () => "———",
  footnote: (label, inner) => `[${label}] ${inner}`,
};

/** What stands between two blocks of a place. */
export function blockGap({ isTight }: Place): "\n" | "\n\n" {
  return isTight ? "\n" : "\n\n";
}

/** A list as lines; all but the first line of an item are indented by two. */
function listLines({ items }: List<string>, bullet: string): string {
  return items.map((item) => itemMark(item, bullet) + item.inner.replaceAll(/\n(?!\n)/g, "\n  ")).join("\n");
}

/** What stands before an item: its number or box, or else the bullet. Ends with a blank. */
export function itemMark({ number, isChecked }: ListItem<unknown>, bullet: string): string {
  const box = isChecked ? "☑ " : "☐ ";
  if (number !== undefined) return `${number}. ${isChecked === undefined ? "" : box}`;
  return isChecked === undefined ? bullet : box;
}
