// Written by scripts/generate-console-markdown.ts.
import { withoutAwaitedLinks } from "./awaited-links.js";
import { openFence } from "./open-fence.js";
import { startOfOpenFormula } from "./open-formula.js";
import { openMarks } from "./open-marks.js";

/** Shown where nothing of a text can be shown yet. */
export const nothingYet = "…";

/**
 * Makes an unfinished text presentable, so that no mark and no tag is seen that the whole text doesn't show: fences, emphasis,
 * code and pairs of tags are closed; half a tag, half a sign, an open formula and the address of a link wait for their end. Links
 * whose definition has not come yet are their labels.
 */
export function closeMarkdown(partial) {
  const text = withoutAwaitedLinks(partial.trimEnd());
  const fence = openFence(text);
  if (fence !== undefined) return closeFence(text, fence) || nothingYet;
  const { text: shown, closing } = withoutHalves(text);
  return shown + closing || (text === "" ? "" : nothingYet);
}

/** A fence in which nothing stands yet is not shown, nor half of what may close one. */
function closeFence(text, { prefix, marker, start }) {
  const end = text.lastIndexOf("\n") + 1;
  const last = text.slice(end).replace(/^[\s>]+/, "");
  const isHalf = last !== "" && last.length < marker.length && marker.startsWith(last);
  const shown = isHalf ? text.slice(0, end).trimEnd() : text;
  const opening = shown.indexOf("\n", start);
  if (opening !== -1 && /[^\s>]/.test(shown.slice(opening))) return `${shown}\n${prefix}${marker}`;
  const before = text.slice(0, start).trimEnd();
  return before === "" ? "" : closeMarkdown(before);
}

/** How often something may wait before what waits. */
const mostHalves = 6;
/** A comment that has grown longer without an end is shown as it stands. */
const longestComment = 1_000;
/** So much of the end is looked at. */
const longestEnd = 2_500;

function withoutHalves(text) {
  let open = { text, closing: "" };
  // The end of a fence is no half.
  if (/(?:^|\n)[ \t>]{0,40}(?:`{3,}|~{3,})$/.test(text.slice(-longestEnd))) return open;
  for (let tries = 0; tries < mostHalves; tries += 1) {
    const before = open.text;
    const from = Math.max(0, before.length - longestEnd);
    const end = halves.reduce((shown, half) => shown.replace(half, ""), before.slice(from));
    const cut = before.slice(0, from) + withoutHead(withoutComment(end));
    open = openMarks(cut.slice(0, startOfOpenFormula(cut)).trimEnd());
    if (open.text === before) break;
  }
  return open;
}

/** What may be the half of something at the end of a text. Each is bounded, since it is sought from many places. */
const halves = [
  // A tag, an address in angle brackets.
  /<(?:\/?[A-Za-z][A-Za-z0-9]{0,10}(?:\s{1,9}(?:open|[\w:.-]{1,20}\s{0,9}=\s{0,9}(?:"[^"<>]{0,300}"|'[^'<>]{0,300}'|[^\s"'=<>`]{1,300}))){0,9}(?:\s{1,9}[\w:.-]{0,20}(?:\s{0,9}=\s{0,9}(?:"[^"<>]{0,300}|'[^'<>]{0,300}|[^\s"'=<>`]{0,300}))?)?\s{0,9}\/?|[^\s<>]{0,200})$/,
  // The name of a character.
  /&(?:#?[A-Za-z0-9]{0,10})$/,
  // Marks, which may get longer; the sign of a picture.
  /(?<!\\)[*_~`]{1,20}$/,
  /(?<=^|\s)!$/,
  // The mark of an item, a heading or a quote, and what may underline a heading.
  /(?:^|\n)[ \t>]{0,40}(?:[-+*=_]{1,80}|\d{1,9}[.)]?|#{1,6}|(?:[-+*]|\d{1,9}[.)])[ \t]{1,4}(?:\[[ xX]?\]?|[-+*]|\d{1,9}[.)]?)|>)[ \t]{0,4}$/,
];

function withoutComment(text) {
  const open = text.indexOf("<!--", text.lastIndexOf("-->") + 1);
  return open === -1 || text.length - open > longestComment ? text : text.slice(0, open);
}

/** The head of a table waits for the line below it: until then its bars are words. */
function withoutHead(text) {
  const rows = text.split("\n");
  const first = rows.findLastIndex((row) => !/^[ \t>]*\|/.test(row)) + 1;
  const [head, below] = rows.slice(first);
  if (head === undefined || rows.length - first > 2) return text;
  const isHead = below === undefined || (/^[ \t>]*\|[ \t:|-]*$/.test(below) && cellsOf(below) < cellsOf(head));
  return isHead ? rows.slice(0, first).join("\n") : text;
}

/** How many cells a row has, the last of which ends with a bar or with the line. */
function cellsOf(row) {
  return row
    .trim()
    .replace(/\|$/, "")
    .split(/(?<!\\)\|/).length;
}
