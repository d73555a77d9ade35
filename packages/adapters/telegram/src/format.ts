import {
  addressBeside,
  blockGap,
  type Dialect,
  itemMark,
  type Link,
  layOutTable,
  renderMarkdown,
} from "@talaria/markdown";
import { isLink } from "./is-link.ts";

/** One text in Telegram's HTML dialect, and what people see of it. */
export interface Rendered {
  readonly html: string;
  /** The text without formatting. Its length in UTF-16 units is what Telegram limits. */
  readonly text: string;
}

/**
 * Converts markdown to the HTML that Telegram accepts. Everything visible stays visible: what Telegram cannot format
 * (headings, lists, tables, images, rules, footnotes) becomes text.
 */
export function render(markdown: string): Rendered {
  return renderMarkdown(markdown, telegramDialect);
}

/** Length of a message's text in UTF-16 units as Telegram counts it; 0 for blanks, which it refuses. */
export function measure(markdown: string): number {
  const { text } = render(markdown);
  return text.trim() === "" ? 0 : text.length;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entityOf[character] ?? character);
}

const entityOf: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const nothing: Rendered = { html: "", text: "" };

const telegramDialect: Dialect<Rendered> = {
  concat,
  stack: (blocks, place) => join(blocks, blockGap(place)),
  isEmpty: ({ text }) => text === "",
  text: plain,
  strong: (inner) => tag("b", inner),
  emphasis: (inner) => tag("i", inner),
  strike: (inner) => tag("s", inner),
  underline: (inner) => tag("u", inner),
  code: (value) => tag("code", plain(value)),
  lineBreak: () => plain("\n"),
  link,
  image: ({ url, alt }) => link({ url, label: plain(alt), words: alt }),
  footnoteMark: (label) => plain(`[${label}]`),
  heading: (inner) => tag("b", inner),
  paragraph: (inner) => inner,
  // Telegram has no quotes inside quotes: an inner one becomes part of the outer one.
  quote: (inner, { quotes }) => (quotes > 0 ? inner : quote(inner)),
  list: ({ items }) =>
    join(
      items.map((item) => concat([plain(itemMark(item, "• ")), indent(item.inner)])),
      "\n",
    ),
  codeBlock,
  table({ rows, align }) {
    const { isAligned, text } = layOutTable(
      rows.map((row) => row.map(({ words }) => words)),
      align,
    );
    return isAligned ? tag("pre", plain(text)) : plain(text);
  },
  rule: () => plain("———"),
  footnote: (label, inner) => concat([plain(`[${label}] `), inner]),
};

function plain(text: string): Rendered {
  return { html: escapeHtml(text), text };
}

function concat(parts: readonly Rendered[]): Rendered {
  return join(parts, "");
}

function join(parts: readonly Rendered[], separator: string): Rendered {
  return {
    html: parts.map(({ html }) => html).join(separator),
    text: parts.map(({ text }) => text).join(separator),
  };
}

function tag(name: string, { html, text }: Rendered, attribute = ""): Rendered {
  return text === "" ? nothing : { html: `<${name}${attribute}>${html}</${name}>`, text };
}

/** Apps show the first lines of a folded one, and all of it when it is tapped (https://core.telegram.org/bots/api#html-style). */
const longestQuote = { units: 800, lines: 12 } as const;

function quote(inner: Rendered): Rendered {
  const isLong = inner.text.length > longestQuote.units || inner.text.split("\n").length > longestQuote.lines;
  return tag("blockquote", inner, isLong ? " expandable" : "");
}

/** Addresses that are no link here stand beside their text. */
function link({ url, label, words }: Link<Rendered>): Rendered {
  const shown = label.text === "" ? plain(url) : label;
  if (shown.text === url) return shown;
  if (!isLink(url)) return label.text === "" ? shown : concat([label, plain(addressBeside(words, url))]);
  return { html: `<a href="${escapeHtml(url)}">${shown.html}</a>`, text: shown.text };
}

function codeBlock(value: string, language: string): Rendered {
  if (value === "") return nothing;
  const name = /^[\w+#.-]{1,40}$/.test(language) ? language : "";
  const html = name === "" ? escapeHtml(value) : `<code class="language-${name}">${escapeHtml(value)}</code>`;
  return { html: `<pre>${html}</pre>`, text: value };
}

/** Everything after the first line moves under the text of a list item. */
function indent({ html, text }: Rendered): Rendered {
  return { html: html.replaceAll("\n", "\n  "), text: text.replaceAll("\n", "\n  ") };
}
