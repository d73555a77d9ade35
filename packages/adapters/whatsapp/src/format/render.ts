import { addressBeside, type Dialect, type Link, layOutTable, renderMarkdown } from "@talaria/markdown";
import { type Look, type Run, wordsOf, writeRuns } from "./runs.ts";

/**
 * Converts markdown to WhatsApp's dialect. Everything visible stays visible: headings become bold, links `text (address)`,
 * tables a block of equal letters or, when they are wide, a list; what has no form there becomes text.
 */
export function render(markdown: string): string {
  return textOf(renderMarkdown(markdown, whatsappDialect));
}

/** Length of the converted text in UTF-16 units; 0 for blanks, which WhatsApp refuses. */
export function measure(markdown: string): number {
  const text = render(markdown);
  return text.replaceAll("\u200B", "").trim() === "" ? 0 : text.length;
}

/** Letters of a line on a phone. */
const widestTable = 40;

/** What the walk puts together: runs of a line, whose marks depend on what stands beside them, or a written block. */
interface Piece {
  readonly runs: readonly Run[];
}

const whatsappDialect: Dialect<Piece> = {
  concat: (parts) => ({ runs: parts.flatMap(({ runs }) => runs) }),
  // A blank line would end a quote.
  stack: (blocks, { isTight, quotes }) => raw(blocks.map(textOf).join(isTight || quotes > 0 ? "\n" : "\n\n")),
  isEmpty: (piece) => textOf(piece) === "",
  text: (words) => plain(words),
  strong: (inner) => styled(inner, { bold: true }),
  emphasis: (inner) => styled(inner, { italic: true }),
  strike: (inner) => styled(inner, { strike: true }),
  code: (value) => styled(plain(value), { code: true }),
  lineBreak: () => plain("\n"),
  link,
  image: ({ url, alt }) => link({ url, label: plain(alt), words: alt }),
  footnoteMark: (label) => plain(`[${label}]`),
  heading: (inner) => raw(writeRuns(styled(inner, { bold: true }).runs)),
  paragraph: (inner) => raw(writeRuns(inner.runs)),
  // WhatsApp has no quotes inside quotes: an inner one becomes part of the outer one.
  quote(inner, { quotes }) {
    const text = textOf(inner);
    return quotes > 0 || text === "" ? inner : raw(text.replaceAll(/^/gm, "> "));
  },
  list: ({ items }) =>
    raw(
      items
        .map(({ inner, number, isChecked }) => {
          const box = isChecked === undefined ? "" : isChecked ? "☑ " : "☐ ";
          return `${number === undefined ? "- " : `${number}. `}${box}${textOf(inner).replaceAll("\n", "\n  ")}`;
        })
        .join("\n"),
    ),
  codeBlock: (value, _language, { quotes }) => raw(codeBlock(value, quotes > 0)),
  table({ rows, align }, { quotes }) {
    const cellsAs = (write: (cell: Piece) => string) => rows.map((row) => row.map(({ inner }) => write(inner)));
    const { isAligned, text } = layOutTable(cellsAs(textOf), align, widestTable);
    if (isAligned) return raw(codeBlock(text, quotes > 0));
    const lines = layOutTable(
      cellsAs(({ runs }) => writeRuns(runs)),
      align,
      0,
    );
    return raw(lines.text.replaceAll(/^• /gm, "- "));
  },
  rule: () => raw("———"),
  footnote: (label, inner) => raw(`[${label}] ${textOf(inner)}`),
};

function textOf({ runs }: Piece): string {
  return wordsOf(runs);
}

function plain(text: string): Piece {
  return { runs: [{ text, look: {} }] };
}

function raw(text: string): Piece {
  return { runs: [{ text, look: { raw: true } }] };
}

function styled({ runs }: Piece, style: Look): Piece {
  return { runs: runs.map(({ text, look }) => ({ text, look: look.raw ? look : { ...look, ...style } })) };
}

/** Each line on its own in a quote, whose mark would stand in the middle of a block. */
function codeBlock(value: string, isInQuote: boolean): string {
  if (value.trim() === "") return "";
  if (isInQuote)
    return value
      .split("\n")
      .map((line) => writeRuns([{ text: line, look: { code: true } }]))
      .join("\n");
  const code = value.replaceAll("```", "ˋˋˋ").replace(/`$/, "ˋ").replace(/^`/, "ˋ");
  return code.includes("\n") ? `\`\`\`\n${code}\n\`\`\`` : `\`\`\`${code}\`\`\``;
}

/** WhatsApp has no links with other words: `label (address)`; the address alone when the label says the same. */
function link({ url, label, words }: Link<Piece>): Piece {
  const address = url.replace(/\s/g, encodeURIComponent);
  if (words.trim() === "" || words === url) return raw(addressBeside("", address) || url);
  const beside = addressBeside(words, address);
  if (beside !== "") return { runs: [...label.runs, ...raw(beside).runs] };
  return isAddress.test(words) ? raw(words) : label;
}

/** Marks in it are no formatting. */
const isAddress = /^\S+[.@:]\S+$/;
