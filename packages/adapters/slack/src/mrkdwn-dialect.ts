import { cleanText } from "@talaria/adapter-kit";
import {
  addressBeside,
  type Dialect,
  itemMark,
  type Link,
  layOutTable,
  renderMarkdown,
  stringPieces,
} from "@talaria/markdown";
import { escaped } from "./block-text.ts";

/**
 * Writes Markdown in Slack's own dialect (docs.slack.dev/messaging/formatting-message-text), for messages whose Markdown block
 * Slack refuses. Everything visible stays visible: headings become bold lines, tables become code, images become links. Nobody is
 * notified by it, since `<` is escaped.
 */
export function toMrkdwn(markdown: string): string {
  return renderMarkdown(cleanText(markdown), mrkdwn).trim();
}

/** Letters of a line of code on a desktop. */
const widestTable = 100;
/** What Slack writes down that it makes links of; it says nothing of other schemes. */
const linkSchemes = /^(?:https?:\/\/|mailto:)/i;

const mrkdwn: Dialect<string> = {
  ...stringPieces,
  text: escaped,
  strong: (inner) => wrap("*", inner),
  emphasis: (inner) => wrap("_", inner),
  strike: (inner) => wrap("~", inner),
  code: (value) => (value.trim() === "" ? value : `\`${escaped(value).replaceAll("`", "ˋ").replaceAll("\n", " ")}\``),
  lineBreak: () => "\n",
  link,
  image: ({ url, alt }) => link({ url, label: escaped(alt), words: alt }),
  footnoteMark: (label) => `[${escaped(label)}]`,
  heading: (inner) => (inner === "" ? "" : wrap("*", inner.replaceAll("\n", " ").replaceAll("*", ""))),
  paragraph: (inner) => inner,
  // Slack has no quotes inside quotes: an inner one becomes part of the outer one.
  quote: (inner, { quotes }) => (quotes > 0 || inner === "" ? inner : inner.replace(/^/gm, "> ")),
  list: ({ items }) => items.map((item) => itemMark(item, "• ") + item.inner.replaceAll("\n", "\n    ")).join("\n"),
  codeBlock,
  table({ rows, align }) {
    const words = rows.map((row) => row.map((cell) => cell.words));
    const { isAligned, text } = layOutTable(words, align, widestTable);
    return isAligned ? codeBlock(text) : escaped(text);
  },
  rule: () => "———",
  footnote: (label, inner) => `[${escaped(label)}] ${inner}`,
};

/** Signs count at the edges of words, and in one line. */
function wrap(mark: string, text: string): string {
  return text.replace(/[^\n]+/g, (line) => {
    const core = line.trim();
    return core === "" ? line : line.replace(core, () => `${mark}${core}${mark}`);
  });
}

function codeBlock(value: string): string {
  return value === "" ? "" : `\`\`\`\n${escaped(value).replaceAll("```", "ˋˋˋ")}\n\`\`\``;
}

/** Other addresses than those Slack makes links of stand beside their text. */
function link({ url, label, words }: Link<string>): string {
  if (!linkSchemes.test(url)) return label + escaped(addressBeside(words, url)) || escaped(url);
  const target = url.replace(/[\s<>|]/g, encodeURIComponent).replaceAll("&", "&amp;");
  if (words === "" || words === url || `mailto:${words}` === url) return `<${target}>`;
  // A label that looks like an address would hide where the link leads.
  return linkSchemes.test(words) ? `${label} (<${target}>)` : `<${target}|${label.replaceAll("|", "¦")}>`;
}
