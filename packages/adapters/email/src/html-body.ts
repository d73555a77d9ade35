import { addressBeside, type Dialect, directionOf, renderMarkdown, stringPieces, type Table } from "@talaria/markdown";

/** Markdown as the HTML of a mail. HTML in it counts for what it means and never as it stands; only addresses of the web, of mail and of telephones become links, images too; others stand beside their text. */
export function htmlBody(markdown: string): string {
  return `<!DOCTYPE html><html><body>\n${renderMarkdown(markdown, html)}\n</body></html>\n`;
}

const safeLink = /^(?:https?:\/\/|mailto:|tel:)[^\s]+$/i;
/** Names a side, since mail programs would centre heads: without one of its own, that at which the table begins. */
const cellStyle = (side: Table<string>["align"][number] = null, table?: "ltr" | "rtl") =>
  `style="border:1px solid #ccc;padding:4px 8px;text-align:${side ?? (table === "rtl" ? "right" : "left")}"`;
const codeStyle = 'dir="ltr" style="background:#f4f4f4;padding:8px;white-space:pre-wrap;font-family:monospace"';

export const html: Dialect<string> = {
  ...stringPieces,
  stack: (blocks, { isTight }) => (isTight ? apart(blocks) : blocks).join("\n"),
  text: (words) => escaped(words).replaceAll("\n", "<br>\n"),
  strong: (inner) => `<strong>${inner}</strong>`,
  emphasis: (inner) => `<em>${inner}</em>`,
  strike: (inner) => `<del>${inner}</del>`,
  underline: (inner) => `<u>${inner}</u>`,
  subscript: (inner) => `<sub>${inner}</sub>`,
  superscript: (inner) => `<sup>${inner}</sup>`,
  code: (value) => `<code>${escaped(value)}</code>`,
  lineBreak: () => "<br>\n",
  link: ({ url, label, words }) => link(url, label, words),
  // A picture from elsewhere would tell its server who reads the mail, and when.
  image: ({ url, alt }) => link(url, escaped(alt), alt),
  footnoteMark: (label) => `[${escaped(label)}]`,
  heading: (inner, depth) => (inner === "" ? "" : `<h${depth}${dir(inner)}>${inner}</h${depth}>`),
  paragraph: (inner, { isTight }) => (inner === "" || isTight ? inner : `<p${dir(inner)}>${inner}</p>`),
  quote: (inner) => (inner === "" ? "" : `<blockquote${dir(inner)}>\n${inner}\n</blockquote>`),
  list: ({ isOrdered, start, items }) => {
    const tag = isOrdered ? "ol" : "ul";
    const from = isOrdered && start !== 1 ? ` start="${start}"` : "";
    const box = (isChecked: boolean | undefined) => (isChecked === undefined ? "" : isChecked ? "☑ " : "☐ ");
    const whole = directionIn(items.map(({ inner }) => inner).join(" "));
    const lines = items.map(({ inner, isChecked }) => `<li${dir(inner, whole)}>${box(isChecked)}${inner}</li>`);
    return `<${tag}${from}${dirOf(whole)}>\n${lines.join("\n")}\n</${tag}>`;
  },
  codeBlock: (value) => `<pre ${codeStyle}><code>${escaped(value)}</code></pre>`,
  table: ({ rows, align }) => {
    const whole = directionIn(rows.flatMap((row) => row.map(({ inner }) => inner)).join(" "));
    const lines = rows.map((row, n) => {
      const tag = n === 0 ? "th" : "td";
      const cells = row.map(
        ({ inner }, column) => `<${tag}${dir(inner, whole)} ${cellStyle(align[column], whole)}>${inner}</${tag}>`,
      );
      return `<tr>${cells.join("")}</tr>`;
    });
    return `<table${dirOf(whole)} style="border-collapse:collapse">\n${lines.join("\n")}\n</table>`;
  },
  rule: () => "<hr>",
  footnote: (label, inner) => `<p${dir(inner)}>[${escaped(label)}] ${inner}</p>`,
};

const block = /^<(?:p|h\d|ul|ol|pre|blockquote|table|hr)[\s>]/;

/** Tells how a piece is read where that is not as what is around it. Explicit, because not every mail program knows `auto`. */
function dir(inner: string, around: "ltr" | "rtl" = "ltr"): string {
  const own = directionIn(inner);
  return own === undefined || own === around ? "" : ` dir="${own}"`;
}

function dirOf(direction: "ltr" | "rtl" | undefined): string {
  return direction === "rtl" ? ' dir="rtl"' : "";
}

function directionIn(inner: string): "ltr" | "rtl" | undefined {
  return directionOf(inner.replaceAll(/<[^>]*>|&\w+;/g, ""));
}

/** Paragraphs of an item have no tags: without a line break they would run together. */
function apart(blocks: readonly string[]): readonly string[] {
  return blocks.map((one, n) => {
    const before = blocks[n - 1];
    return before !== undefined && !block.test(before) && !block.test(one) ? `<br>\n${one}` : one;
  });
}

function link(url: string, label: string, words: string): string {
  if (!safeLink.test(url)) return label + escaped(addressBeside(words, url)) || escaped(url);
  return `<a href="${escaped(url)}">${label || escaped(url)}</a>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
