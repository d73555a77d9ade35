import { addressBeside, type Dialect, type Link, layOutTable, renderMarkdown, stringPieces } from "@talaria/markdown";

/**
 * Writes markdown in Discord's dialect. Everything visible stays visible: tables become code blocks, headings below the
 * third level become bold lines, images become links, and what Discord would read as markup is escaped.
 */
export function render(markdown: string): string {
  return renderMarkdown(markdown, discordDialect).trim();
}

/** Length of a message's text in UTF-16 units, after conversion. */
export function measure(markdown: string): number {
  return render(markdown).length;
}

/** Discord makes headings of three levels. */
const deepestHeading = 3;
/** Letters of a code block's line on a desktop; a phone lets people scroll. */
const widestTable = 100;
const linkSchemes = /^https?:\/\//i;

const discordDialect: Dialect<string> = {
  ...stringPieces,
  text: escapeText,
  strong: (inner) => wrap("**", inner),
  emphasis: (inner) => wrap("*", inner),
  strike: (inner) => wrap("~~", inner),
  underline: (inner) => wrap("__", inner),
  code: codeSpan,
  lineBreak: () => "\n",
  link,
  image: ({ url, alt }) => link({ url, label: escapeText(alt), words: alt }),
  footnoteMark: (label) => `\\[${escapeText(label)}]`,
  heading(inner, depth) {
    const text = inner.replaceAll("\n", " ");
    if (text === "") return "";
    return depth <= deepestHeading ? `${"#".repeat(depth)} ${text}` : wrap("**", withoutBold(text));
  },
  paragraph: (inner) => inner.split("\n").map(escapeLineStart).join("\n"),
  // Discord has no quotes inside quotes: an inner one becomes part of the outer one.
  quote: (inner, { quotes }) => (quotes > 0 || inner === "" ? inner : inner.replace(/^/gm, "> ")),
  list: ({ items }) =>
    items
      .map(({ inner, number, isChecked }) => {
        const box = isChecked === undefined ? "" : isChecked ? "☑ " : "☐ ";
        return `${number === undefined ? "- " : `${number}. `}${box}${inner.replaceAll("\n", "\n  ")}`;
      })
      .join("\n"),
  codeBlock,
  table({ rows, align }) {
    const { isAligned, text } = layOutTable(
      rows.map((row) => row.map(({ words }) => words)),
      align,
      widestTable,
    );
    return isAligned ? codeBlock(text, "") : escapeText(text);
  },
  rule: () => "———",
  footnote: (label, inner) => `\\[${escapeText(label)}] ${inner}`,
};

/** Markup anywhere in a line, and `<` where it would begin a mention, an emoji, a time or a link. */
function escapeText(text: string): string {
  return text.replace(/[\\*_~`|[\]]|<(?=[@#:/a-z])/gi, "\\$&");
}

/** Headings, quotes, lists and small print begin at the start of a line. */
function escapeLineStart(line: string): string {
  return line.replace(/^(\s*)([#>+-])/, "$1\\$2").replace(/^(\s*\d{1,9})([.)])(?=\s|$)/, "$1\\$2");
}

/** Bold in bold would end it. */
function withoutBold(text: string): string {
  return text.replace(/(\\[\s\S])|\*\*/g, "$1");
}

/** Marks stand beside letters, not beside white space. */
function wrap(mark: string, text: string): string {
  const [, before = "", core = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return core === "" ? text : `${before}${mark}${core}${mark}${after}`;
}

/** Backticks cannot be escaped inside code: they become the letter that looks alike. */
function codeSpan(value: string): string {
  return value.trim() === "" ? value : `\`\`${value.replaceAll("`", "ˋ")}\`\``;
}

function codeBlock(value: string, language: string): string {
  if (value === "") return "";
  const name = /^[\w+#.-]{1,40}$/.test(language) ? language : "";
  return `\`\`\`${name}\n${value.replaceAll("```", "ˋˋˋ")}\n\`\`\``;
}

/**
 * Discord masks web addresses alone (its help article "Markdown Text 101"); others stand beside their text. A bare address
 * stays bare.
 */
function link({ url, label, words }: Link<string>): string {
  const target = url
    .replace(/[\s<>()]/g, encodeURIComponent)
    .replaceAll("(", "%28")
    .replaceAll(")", "%29");
  if (!linkSchemes.test(url)) return label + escapeText(addressBeside(words, url)) || escapeText(url);
  if (words === "" || words === url || `http://${words}` === url) return target;
  // A label that looks like an address would hide where the link leads; Discord shows such links as text.
  return linkSchemes.test(words) ? `${label} (${target})` : `[${label}](${target})`;
}
