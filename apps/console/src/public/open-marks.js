// Written by scripts/generate-console-markdown.ts.
import { isNote } from "./awaited-links.js";
import { isArithmetic, isEastAsian } from "./flanking.js";

/** What a growing text has begun and not ended, in its last block. */

/** So much of the last block is looked at. */
const longestBlock = 2_500;
/** An address that has grown longer without an end is shown as it stands. */
const longestTarget = 1_000;
/** A label that has grown longer than this without an end is shown as it stands. */
const longestLabel = 300;

/** Tags that stand around words; half a pair would be shown as it is written. Attributes have values: `<b and b>` is a comparison. */
const paired =
  /^<(\/?)(b|strong|i|em|cite|dfn|var|s|del|strike|u|ins|sub|sup|code|kbd|samp|tt|pre|a|summary|h[1-6]|caption)(?:\s+(?:open|[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)))*\s*\/?>/i;
/** Whatever CommonMark takes for HTML or an address in angle brackets (its sections 6.5 and 6.6): marks in it do not count. */
const anything =
  /^<(?:!--[\s\S]{0,900}?--|[!?][^<>]*|\/?[a-z][a-z0-9-]*(?:\s+[a-z_:][\w:.-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?|[a-z0-9][^\s<>]*)>/i;

/** Reads the end of a text that is not in a fence, without parsing it: it is called for each snapshot. */
export function openMarks(text, from = blockStart(text)) {
  const marks = [];
  const brackets = [];
  for (let at = from; at < text.length; ) {
    const next = afterSign(text, at, marks, brackets);
    if (typeof next === "string") return { text, closing: next + closingOf(marks) };
    if (typeof next !== "number") return withoutTarget(text, next, from);
    at = next;
  }
  const [open] = brackets;
  if (open === undefined || text.length - open.start > longestLabel) return { text, closing: closingOf(marks) };
  return { text: text.slice(0, open.start), closing: closingOf(marks.slice(0, open.marks)) };
}

/** Where to go on; what ends code that is open; or the label of a link without the end of its address. */
function afterSign(text, at, marks, brackets) {
  const sign = text.charAt(at);
  switch (sign) {
    case "\\":
      return at + 2;
    case "`": {
      const run = runAt(text, at);
      return endOfCode(text, at + run, run) ?? "`".repeat(run);
    }
    case "<":
      return at + tagAt(text, at, marks);
    case "[": {
      const start = text.charAt(at - 1) === "!" ? at - 1 : at;
      brackets.push({ start, inner: at + 1, marks: marks.length });
      return at + 1;
    }
    case "]": {
      const bracket = brackets.pop();
      if (bracket === undefined) return at + 1;
      return endOfTarget(text, at + 1) ?? { ...bracket, end: at };
    }
    case "*":
    case "_":
    case "~":
      return at + signsAt(text, at, marks);
    default:
      return at + 1;
  }
}

/** A blank line, an item, a heading, a row; and the line behind a fence. */
const starting =
  /\n(?=[ \t>]*(?:\n|[-+*][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\|))|(?<=\n[ \t>]{0,40}(?:`{3,40}|~{3,40})[^\n`]{0,80})\n/g;

/** Marks do not go over blank lines, items, headings and cells. */
function blockStart(text) {
  const from = Math.max(0, text.length - longestBlock);
  const starts = [...text.slice(from).matchAll(starting)];
  const start = from + (starts.at(-1)?.index ?? 0);
  const line = text.slice(start).replace(/^\n/, "");
  const cell = /^[ \t>]*\|/.test(line) && !line.includes("\n") ? /(?<!\\)\|[^|]*$/.exec(line)?.index : undefined;
  return text.length - line.length + (cell ?? 0);
}

function runAt(text, at) {
  const sign = text.charAt(at);
  let end = at;
  while (text.charAt(end) === sign) end += 1;
  return end - at;
}

function endOfCode(text, from, length) {
  for (let at = text.indexOf("`", from); at !== -1; at = text.indexOf("`", at)) {
    const run = runAt(text, at);
    if (run === length) return at + run;
    at += run;
  }
  return undefined;
}

/** How far the tag goes. One that ends a pair ends what is open inside of it. */
function tagAt(text, at, marks) {
  const rest = text.slice(at, at + 1_000);
  const [whole, slash, name = ""] = paired.exec(rest) ?? [];
  if (whole === undefined) return anything.exec(rest)?.[0].length ?? 1;
  const sign = name.toLowerCase();
  if (slash === "") marks.push({ sign, length: 0 });
  else {
    const open = marks.findLastIndex((mark) => mark.sign === sign);
    if (open >= 0) marks.splice(open);
  }
  return whole.length;
}

/** A run of signs opens or closes by what stands beside it, as in CommonMark. */
function signsAt(text, at, marks) {
  const sign = text.charAt(at);
  const length = runAt(text, at);
  const before = text.charAt(at - 1);
  const after = text.charAt(at + length);
  if ((/\d/.test(before) && /\d/.test(after)) || (sign === "~" && length !== 2)) return length;
  const isInWord = sign === "_" && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
  if (isInWord) return length;
  if (sign === "*" && length === 1 && isArithmetic(text, at)) return length;
  const isLenient = sign === "*" && (length > 1 || isEastAsian(before) || isEastAsian(after));
  let left = length;
  if (!isBlank(before) && (isLenient || !isPunctuation(before) || isBlank(after) || isPunctuation(after)))
    left = closeMarks(sign, length, marks);
  const opens = !isBlank(after) && (isLenient || !isPunctuation(after) || isBlank(before) || isPunctuation(before));
  if (left > 0 && opens) marks.push({ sign, length: left });
  return length;
}

function closeMarks(sign, length, marks) {
  let left = length;
  for (let open = lastOf(sign, marks); left > 0 && open >= 0; open = lastOf(sign, marks)) {
    const mark = marks[open];
    if (mark === undefined) break;
    const taken = Math.min(mark.length, left);
    left -= taken;
    mark.length -= taken;
    marks.splice(mark.length === 0 ? open : open + 1);
  }
  return left;
}

function lastOf(sign, marks) {
  return marks.findLastIndex((mark) => mark.sign === sign);
}

function isBlank(character) {
  return character === "" || /\s/.test(character);
}

function isPunctuation(character) {
  return /[\p{P}\p{S}]/u.test(character);
}

/** Where the address of a link ends, right behind its label where there is none; undefined if it is not whole. */
function endOfTarget(text, at) {
  const opening = text.charAt(at);
  if (opening === "") return undefined;
  if (opening !== "(" && opening !== "[") return at;
  const closing = opening === "(" ? ")" : "]";
  let depth = 0;
  for (let end = at; end < Math.min(text.length, at + longestTarget); end += 1) {
    if (text.charAt(end) === "\\") end += 1;
    else if (text.charAt(end) === opening) depth += 1;
    else if (text.charAt(end) === closing) depth -= 1;
    if (depth === 0) return end + 1;
  }
  return text.length - at > longestTarget ? at : undefined;
}

/** The label of a link whose address is still being written; nothing of what may yet become a link. */
function withoutTarget(text, { start, inner, end }, from) {
  const isName = text.charAt(end + 1) === "[";
  const isWord = isName && (isNote(text.slice(inner, end)) || /[\w\]]/.test(text.charAt(start - 1)));
  const isLabel = end + 1 < text.length && !isWord;
  return openMarks(text.slice(0, start) + (isLabel ? text.slice(inner, end) : ""), from);
}

function closingOf(marks) {
  return marks
    .toReversed()
    .map(({ sign, length }) => (length > 0 ? sign.repeat(length) : `</${sign}>`))
    .join("");
}
