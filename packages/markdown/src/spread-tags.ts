import type { Nodes } from "mdast";
import { tagOf } from "./html-tags.ts";
import { parseMarkdown } from "./parse-markdown.ts";

/** Tags that stand around words, whichever paragraphs these are in. */
const spread = new Set(["b", "strong", "i", "em", "cite", "dfn", "var", "s", "del", "strike", "u", "ins"]);
const opening = /<(?:b|strong|i|em|cite|dfn|var|s|del|strike|u|ins)[\s>]/i;
/** Pairs that are open at one place. Further ones stay words, which bounds how often they are repeated. */
const mostOpen = 4;

interface Half {
  readonly name: string;
  readonly isClosing: boolean;
  readonly start: number;
  readonly end: number;
  /** Which of the lines it stands in. */
  readonly line: number;
}

/** A paragraph, a heading or a cell: where its words begin and end. */
interface Line {
  readonly start: number;
  readonly end: number;
}

/**
 * The text with pairs of tags that go over several paragraphs, items or cells, as models write `<b>`, written as one pair for each of them, as
 * Markdown and all platforms have it. `isGrowing`: a pair without an end ends with the text. Other texts come back unchanged.
 */
export function spreadTags(markdown: string, isGrowing = false): string {
  if (!opening.test(markdown) || !markdown.includes("\n")) return markdown;
  const lines: Line[] = [];
  const halves: Half[] = [];
  collect(parseMarkdown(markdown), markdown, lines, halves);
  return halves.length === 0 ? markdown : written(markdown, lines, halves, isGrowing);
}

/** What of pairs is left in the tree: those within one line are nodes. */
function collect(node: Nodes, source: string, lines: Line[], halves: Half[]): void {
  if (node.type === "html") {
    const tag = tagOf(node.value);
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (tag === undefined || start === undefined || end === undefined || !spread.has(tag.name)) return;
    // A name behind a word is a type, as in `List<b>`.
    if (!tag.isClosing && /\w/.test(source.charAt(start - 1))) return;
    halves.push({ name: tag.name, isClosing: tag.isClosing, start, end, line: lines.length - 1 });
    return;
  }
  if (!("children" in node)) return;
  if (node.type === "paragraph" || node.type === "heading" || node.type === "tableCell") {
    const start = node.children[0]?.position?.start.offset;
    const end = node.children.at(-1)?.position?.end.offset;
    if (start === undefined || end === undefined) return;
    lines.push({ start, end });
  }
  for (const child of node.children) collect(child, source, lines, halves);
}

interface Pair {
  readonly from: Half;
  readonly to: Half | undefined;
}

function pairsOf(halves: readonly Half[], isGrowing: boolean): readonly Pair[] {
  const open: Half[] = [];
  const pairs: Pair[] = [];
  for (const half of halves) {
    if (!half.isClosing) {
      if (open.length < mostOpen) open.push(half);
      continue;
    }
    const at = open.findLastIndex(({ name }) => name === half.name);
    const from = open[at];
    if (from === undefined) continue;
    // What was opened inside and has no end of its own stays a word.
    open.splice(at);
    if (from.line < half.line) pairs.push({ from, to: half });
  }
  return isGrowing ? [...pairs, ...open.map((from) => ({ from, to: undefined }))] : pairs;
}

/** Where tags are added: behind what stands before the place, or before what stands behind it. */
function written(markdown: string, lines: readonly Line[], halves: readonly Half[], isGrowing: boolean): string {
  const pairs = pairsOf(halves, isGrowing).toSorted((one, other) => one.from.start - other.from.start);
  const starts = new Map<number, string>();
  const ends = new Map<number, string>();
  for (const { from, to } of pairs) {
    const last = to?.line ?? lines.length - 1;
    for (let n = from.line; n <= last; n += 1) {
      const line = lines[n];
      if (line === undefined) continue;
      if (n > from.line) starts.set(line.start, `${starts.get(line.start) ?? ""}<${from.name}>`);
      if (n < last || to === undefined) ends.set(line.end, `</${from.name}>${ends.get(line.end) ?? ""}`);
    }
  }
  let text = "";
  let at = 0;
  for (const place of [...new Set([...starts.keys(), ...ends.keys()])].sort((one, other) => one - other)) {
    text += markdown.slice(at, place) + (ends.get(place) ?? "") + (starts.get(place) ?? "");
    at = place;
  }
  return text + markdown.slice(at);
}
