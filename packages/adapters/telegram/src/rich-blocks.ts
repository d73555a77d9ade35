import {
  addressBeside,
  type Dialect,
  directionOf,
  type Link,
  readableAddress,
  renderMarkdown,
} from "@talaria/markdown";
import type { InputRichBlock, RichBlockTableCell, RichText } from "grammy/types";
import { isLink } from "./is-link.ts";

/** Limits of Telegram's rich messages that a text of 4,096 units can still meet. */
const maxBlocks = 500;
const maxNesting = 16;
const maxColumns = 20;

/**
 * A markdown text as the blocks of a rich message; undefined where that would show nothing better than formatted text
 * does, which is without tables, headings and formulas, or where it exceeds a limit. Blocks rather than Telegram's own markdown:
 * there `$5` would begin a formula, and an image would make Telegram fetch an address.
 */
export function toRichBlocks(markdown: string): InputRichBlock[] | undefined {
  const { blocks } = renderMarkdown(markdown, richDialect);
  const isBetter = blocks.some(({ type }) => type === "table" || type === "heading") || holdsFormula(blocks);
  return isBetter && isWithinLimits(blocks) ? blocks : undefined;
}

/** Whether the message has to be shown right-to-left: `is_rtl` of https://core.telegram.org/bots/api#inputrichmessage. Code doesn't count. */
export function isReadFromRight(blocks: readonly InputRichBlock[]): boolean {
  return directionOf(wordsIn(blocks)) === "rtl";
}

/** A piece of a text: words of one line, or whole blocks. */
interface Piece {
  readonly words: readonly RichText[];
  readonly blocks: InputRichBlock[];
}

const richDialect: Dialect<Piece> = {
  concat: (pieces) => wordy(pieces.flatMap(({ words }) => words)),
  stack: (pieces) => ({ words: [], blocks: pieces.flatMap(({ blocks }) => blocks) }),
  isEmpty: ({ words, blocks }) => blocks.length === 0 && words.every((word) => word === ""),
  text: (value) => wordy([value]),
  strong: (inner) => marked("bold", inner),
  emphasis: (inner) => marked("italic", inner),
  strike: (inner) => marked("strikethrough", inner),
  underline: (inner) => marked("underline", inner),
  subscript: (inner) => marked("subscript", inner),
  superscript: (inner) => marked("superscript", inner),
  code: (value) => marked("code", wordy([value])),
  lineBreak: () => wordy(["\n"]),
  link,
  image: ({ url, alt }) => link({ url, label: wordy([alt]), words: alt }),
  inlineFormula: (expression) => wordy([{ type: "mathematical_expression", expression }]),
  footnoteMark: (label) => wordy([`[${label}]`]),
  heading: (inner, size) => block({ type: "heading", text: textOf(inner), size }, inner),
  paragraph: (inner) => block({ type: "paragraph", text: textOf(inner) }, inner),
  quote: ({ blocks }) => blocky(blocks.length === 0 ? [] : [{ type: "blockquote", blocks }]),
  list: ({ items }) =>
    blocky([
      {
        type: "list",
        items: items.map(({ inner, number, isChecked }) => ({
          blocks: inner.blocks.length > 0 ? inner.blocks : [{ type: "paragraph", text: "–" }],
          ...(isChecked === undefined ? {} : { has_checkbox: true as const }),
          ...(isChecked === true ? { is_checked: true as const } : {}),
          ...(number === undefined ? {} : { value: number, type: "1" as const }),
        })),
      },
    ]),
  codeBlock(value, language) {
    const named = /^[\w+#.-]{1,40}$/.test(language) ? { language } : {};
    return blocky(value === "" ? [] : [{ type: "pre", text: value, ...named }]);
  },
  formula: (expression) => blocky([{ type: "mathematical_expression", expression }]),
  table({ rows, align }) {
    // A cell has to name its side (https://core.telegram.org/bots/api#richblocktablecell): the one at which its text begins.
    const begin =
      directionOf(wordsIn(rows.map((row) => row.map(({ inner }) => inner.words)))) === "rtl" ? "right" : "left";
    const cells = rows.map((row, n) =>
      row.map(({ inner }, column): RichBlockTableCell => {
        const header = n === 0 ? ({ is_header: true } as const) : {};
        return { text: textOf(inner), ...header, align: align[column] ?? begin, valign: "top" };
      }),
    );
    return blocky([{ type: "table", cells, is_bordered: true }]);
  },
  rule: () => blocky([{ type: "divider" }]),
  footnote: (label, { blocks }) => blocky([{ type: "paragraph", text: `[${label}]` }, ...blocks]),
};

/** What people read in blocks and texts, without code, formulas and addresses. */
function wordsIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordsIn).join(" ");
  if (typeof value !== "object" || value === null) return "";
  const { type, text, blocks, items, cells } = value as Readonly<Record<string, unknown>>;
  return type === "pre" || type === "code" ? "" : wordsIn([text, blocks, items, cells].filter(Boolean));
}

/** Whether a formula stands anywhere in it. */
function holdsFormula(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if ("type" in value && value.type === "mathematical_expression") return true;
  return Object.values(value).some(holdsFormula);
}

function wordy(words: readonly RichText[]): Piece {
  return { words, blocks: [] };
}

function blocky(blocks: InputRichBlock[]): Piece {
  return { words: [], blocks };
}

function block(filled: InputRichBlock, { words }: Piece): Piece {
  return blocky(words.every((word) => word === "") ? [] : [filled]);
}

function textOf({ words }: Piece): RichText {
  return words.length === 1 ? (words[0] ?? "") : [...words];
}

type Mark = "bold" | "italic" | "strikethrough" | "underline" | "subscript" | "superscript" | "code";

function marked(type: Mark, inner: Piece): Piece {
  return wordy(richDialect.isEmpty(inner) ? [] : [{ type, text: textOf(inner) }]);
}

/** Rich texts have links for mail addresses and for numbers, too (Bot API, `RichText`). Other addresses stand beside their text. */
function link({ url, label, words }: Link<Piece>): Piece {
  const isNameless = richDialect.isEmpty(label);
  const address = readableAddress(url);
  const text = textOf(isNameless ? wordy([address || url]) : label);
  if (isLink(url)) return wordy([{ type: "url", text, url }]);
  if (/^mailto:/i.test(url) && /^[^\s@]{1,64}@[^\s@]+\.[^\s@.]+$/.test(address))
    return wordy([{ type: "email_address", text, email_address: address }]);
  const [, number] = /^tel:(\+?\d[\d .()-]{1,30})$/i.exec(url) ?? [];
  if (number !== undefined) return wordy([{ type: "phone_number", text, phone_number: number }]);
  const beside = isNameless ? "" : addressBeside(words, url);
  return isNameless ? wordy([text]) : wordy([...label.words, ...(beside === "" ? [] : [beside])]);
}

/** Counts blocks, list items and table rows; formatting inside formatting is nesting too. */
function isWithinLimits(blocks: readonly InputRichBlock[]): boolean {
  let count = 0;
  const fits = (value: unknown, depth: number): boolean => {
    if (typeof value !== "object" || value === null) return true;
    if (depth > maxNesting) return false;
    if (Array.isArray(value)) return value.every((one) => fits(one, depth));
    const { type, text, blocks: inner, items, cells } = value as Readonly<Record<string, unknown>>;
    if (type !== undefined) count += 1;
    const rows = Array.isArray(cells) ? (cells as { text?: RichText }[][]) : [];
    count += rows.length + (Array.isArray(items) ? items.length : 0);
    if (rows.some((row) => row.length > maxColumns || !row.every((cell) => fits(cell.text, depth + 1)))) return false;
    if (Array.isArray(items) && !items.every((item) => fits(item.blocks, depth + 1))) return false;
    return fits(text, depth + 1) && fits(inner, depth + 1);
  };
  return fits(blocks, 1) && count <= maxBlocks;
}
