import { addressBeside, type Dialect, type Link, renderMarkdown } from "@talaria/markdown";

/**
 * Markdown as the HTML that Matrix clients show (specification, m.room.message msgtypes). Undefined when it would show
 * nothing that the markdown itself does not, which clients show otherwise.
 */
export function renderHtml(markdown: string): string | undefined {
  const { html, isPlain } = renderMarkdown(markdown, matrixHtml);
  return isPlain && wordsOf(html) === markdown.replaceAll(/\s+/g, "") ? undefined : html;
}

/** What HTML without formatting shows, without blanks. */
function wordsOf(html: string): string {
  const words = html
    .replaceAll(/<[^>]*>|\s+/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">");
  return words.replaceAll("&quot;", '"').replaceAll("&amp;", "&");
}

interface Html {
  readonly html: string;
  /** Words and line breaks alone: every client shows them well without HTML. */
  readonly isPlain: boolean;
  /** How many tags are inside each other. */
  readonly depth: number;
}

/** Clients refuse HTML that is nested a hundred deep. Deeper parts lose the tags around them, never their words. */
const maxDepth = 60;
/** Of the attribute `href` (specification, client-server API, m.room.message msgtypes); relative ones are no links. */
const linkSchemes = /^(?:https?|ftp|mailto|magnet):/i;

const matrixHtml: Dialect<Html> = {
  concat: (parts) => joined(parts, ""),
  stack: (blocks, { isTight }) => joined(isTight ? apart(blocks) : blocks, "\n"),
  isEmpty: ({ html }) => html === "",

  text: (words) => ({ html: escaped(words).replaceAll("\n", "<br>"), isPlain: true, depth: 0 }),
  strong: (inner) => tag("strong", inner),
  emphasis: (inner) => tag("em", inner),
  strike: (inner) => tag("del", inner),
  underline: (inner) => tag("u", inner),
  subscript: (inner) => tag("sub", inner),
  superscript: (inner) => tag("sup", inner),
  code: (value) => tag("code", leaf(escaped(value))),
  lineBreak: () => ({ html: "<br>", isPlain: true, depth: 0 }),
  link: ({ url, label, words }) => linkTo(url, label, words),
  // Clients show pictures of their homeserver alone: others become links.
  image: ({ url, alt }) => linkTo(url, leaf(escaped(alt)), alt),
  footnoteMark: (label) => tag("sup", leaf(escaped(label))),

  heading: (inner, depth) => tag(`h${depth}`, inner),
  paragraph: (inner, { isTight }) => (isTight ? inner : { ...tag("p", inner), isPlain: inner.isPlain }),
  quote: (inner) => tag("blockquote", inner),
  list: ({ isOrdered, start, items }) => {
    const entries = items.map(({ inner, isChecked }) => tag("li", withBox(inner, isChecked)));
    const attributes = isOrdered && start !== 1 ? ` start="${start}"` : "";
    return tag(isOrdered ? "ol" : "ul", joined(entries, ""), attributes);
  },
  // Specification, m.room.message msgtypes, "Mathematical messages"; clients that do not know it show the code.
  inlineFormula: (latex) => tag("span", tag("code", leaf(escaped(latex))), ` data-mx-maths="${escaped(latex)}"`),
  formula: (latex) => {
    const code = tag("pre", tag("code", leaf(escaped(latex))));
    return tag("div", code, ` data-mx-maths="${escaped(latex)}"`);
  },
  codeBlock: (value, language) => {
    const name = /^[\w+#.-]{1,40}$/.test(language) ? ` class="language-${language}"` : "";
    return tag("pre", tag("code", leaf(value === "" ? "" : `${escaped(value)}\n`), name));
  },
  // The specification lists no attributes for cells: clients that keep to it show each column at the left.
  table: ({ rows: [head = [], ...body], align }) => {
    const side = (column: number) => (align[column] == null ? "" : ` align="${align[column]}"`);
    const row = (cells: typeof head, name: string) =>
      `<tr>${cells.map(({ inner }, column) => `<${name}${side(column)}>${inner.html}</${name}>`).join("")}</tr>`;
    const rest = body.length === 0 ? "" : `<tbody>${body.map((cells) => row(cells, "td")).join("")}</tbody>`;
    return { html: `<table><thead>${row(head, "th")}</thead>${rest}</table>`, isPlain: false, depth: 10 };
  },
  rule: () => leaf("<hr>"),
  footnote: (label, inner) => tag("p", joined([tag("sup", leaf(escaped(label))), inner], " ")),
};

const block = /^<(?:p|h\d|ul|ol|pre|blockquote|table|div|hr)[\s>]/;

/** Paragraphs of an item have no tags: without a line break they would run together. */
function apart(blocks: readonly Html[]): readonly Html[] {
  return blocks.map((one, n) => {
    const before = blocks[n - 1];
    const isRun = before !== undefined && !block.test(before.html) && !block.test(one.html);
    return isRun ? { ...one, html: `<br>${one.html}` } : one;
  });
}

function joined(parts: readonly Html[], separator: string): Html {
  return {
    html: parts.map(({ html }) => html).join(separator),
    isPlain: parts.every(({ isPlain }) => isPlain),
    depth: Math.max(0, ...parts.map(({ depth }) => depth)),
  };
}

function leaf(html: string): Html {
  return { html, isPlain: false, depth: 0 };
}

function tag(name: string, { html, depth }: Html, attributes = ""): Html {
  if (html === "" || depth >= maxDepth) return { html, isPlain: html === "", depth };
  return { html: `<${name}${attributes}>${html}</${name}>`, isPlain: false, depth: depth + 1 };
}

function withBox(inner: Html, isChecked: boolean | undefined): Html {
  return isChecked === undefined ? inner : { ...inner, html: `${isChecked ? "☑" : "☐"} ${inner.html}` };
}

/** Other addresses than those clients take stand beside the label. */
function linkTo(url: Link<Html>["url"], label: Html, words: string): Html {
  const shown = label.html === "" ? leaf(escaped(url)) : label;
  if (linkSchemes.test(url)) return tag("a", shown, ` href="${escaped(url)}"`);
  return label.html === "" ? shown : joined([label, leaf(escaped(addressBeside(words, url)))], "");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
