import { pairsOf } from "./html-syntax.js";
import { tagOf } from "./html-tags.js";

/** As in the package `markdown`, which does the same for platforms: tags that stand around words, whichever paragraphs these are in. */
const spread = new Set(["b", "strong", "i", "em", "cite", "dfn", "var", "s", "del", "strike", "u", "ins"]);
const mostOpen = 4;

/** Writes pairs of tags that go over several paragraphs, items or cells as one pair for each of them. `isGrowing`: a pair without an end ends with the text. */
export function spreadPairs(tokens, isGrowing) {
  const lines = linesIn(tokens, []);
  const ends = new Map();
  const starts = new Map();
  for (const { from, to, name } of openOver(lines, isGrowing)) {
    const last = to ?? lines.length - 1;
    for (let n = from; n <= last; n += 1) {
      if (n > from) starts.set(n, [...(starts.get(n) ?? []), `<${name}>`]);
      if (n < last || to === undefined) ends.set(n, [`</${name}>`, ...(ends.get(n) ?? [])]);
    }
  }
  for (const [n, line] of lines.entries()) {
    line.unshift(...(starts.get(n) ?? []).map(tokenOf));
    line.push(...(ends.get(n) ?? []).map(tokenOf));
  }
}

/** The words of paragraphs, headings and cells, in order. */
function linesIn(tokens, lines) {
  for (const token of tokens) {
    if (token.type === "list") for (const item of token.items) linesIn(item.tokens, lines);
    else if (token.type === "blockquote") linesIn(token.tokens, lines);
    else if (token.type === "table") lines.push(...[token.header, ...token.rows].flat().map((cell) => cell.tokens));
    else if (["paragraph", "heading", "text"].includes(token.type) && token.tokens?.length > 0)
      lines.push(token.tokens);
  }
  return lines;
}

/** The pairs that are open from one line to another, by their beginning. */
function openOver(lines, isGrowing) {
  const open = [];
  const found = [];
  for (const { name, isClosing, line } of lines.flatMap(halvesIn)) {
    if (!isClosing) {
      if (open.length < mostOpen) open.push({ name, from: line, order: found.length + open.length });
      continue;
    }
    const at = open.findLastIndex((half) => half.name === name);
    if (at === -1) continue;
    const [half] = open.splice(at);
    if (half.from < line) found.push({ ...half, to: line });
  }
  const all = isGrowing ? [...found, ...open] : found;
  return all.toSorted((one, other) => one.from - other.from || one.order - other.order);
}

/** Tags of a line that have no other half in it. */
function halvesIn(tokens, line) {
  const tags = tokens.map((token) => (token.type === "html" && !token.block ? tagOf(token.text) : undefined));
  const whole = new Set(pairsOf(tags).flat());
  return tags.flatMap((tag, n) => {
    if (tag === undefined || whole.has(n) || !spread.has(tag.name)) return [];
    const isWord = !tag.isClosing && /\w$/.test(tokens[n - 1]?.raw ?? "");
    return isWord ? [] : [{ name: tag.name, isClosing: tag.isClosing, line }];
  });
}

function tokenOf(html) {
  return { type: "html", raw: html, text: html, block: false, inLink: false, inRawBlock: false };
}
