import type { Html, PhrasingContent } from "mdast";
import { decoded } from "./character-references.ts";
import { type Gap, withBreaks } from "./html-gaps.ts";
import { attributeOf, pairs, type Tag, type TagMeaning, tagOf } from "./html-tags.ts";

export interface LinePlace {
  /** The text that the nodes were parsed from. */
  readonly source: string;
  readonly isInLink: boolean;
  /** What holds the line. */
  readonly parent: string;
}

type Piece = PhrasingContent | Gap;

/** The nodes of one line with its tags read by their meaning. */
export function readLine(nodes: readonly PhrasingContent[], place: LinePlace): PhrasingContent[] {
  const pieces: Piece[] = [];
  const opened = new Map<string, number[]>();
  const closed = new Set(nodes.map((node) => (node.type === "html" ? tagOf(node.value) : undefined)).map(closedBy));
  for (const node of nodes) {
    const tag = node.type === "html" ? tagOf(node.value) : undefined;
    if (node.type === "html" && node.value.startsWith("<!--")) continue;
    if (node.type !== "html" || tag === undefined) pieces.push(node);
    else if (!pairs.has(tag.meaning)) pieces.push(...standing(tag, node, pieces, isWord(tag, node, closed, place)));
    else if (tag.isClosing) close(tag, node, pieces, opened, place);
    else {
      opened.set(tag.name, [...(opened.get(tag.name) ?? []).slice(-deepest), pieces.length]);
      pieces.push(node);
    }
  }
  const line = withBreaks(pieces, place.parent);
  return ["paragraph", "heading", "tableCell"].includes(place.parent) ? withoutBlankEnds(line) : line;
}

/** Where a tag has gone, the blanks beside it are the edge of a block. */
function withoutBlankEnds(line: readonly PhrasingContent[]): PhrasingContent[] {
  const trimmed = [...line];
  const [first] = trimmed;
  if (first?.type === "text") trimmed[0] = { ...first, value: first.value.trimStart() };
  const last = trimmed.at(-1);
  if (last?.type === "text") trimmed[trimmed.length - 1] = { ...last, value: last.value.trimEnd() };
  return trimmed.filter((node) => node.type !== "text" || node.value !== "");
}

/** Tags of one name are not inside each other deeper than this. */
const deepest = 20;

function closedBy(tag: Tag | undefined): string | undefined {
  return tag?.isClosing ? tag.name : undefined;
}

/** A name behind a word, as in `List<section>`, unless something closes it. */
function isWord({ name, meaning, isClosing }: Tag, node: Html, closed: ReadonlySet<unknown>, { source }: LinePlace) {
  if (isClosing || meaning === "break" || meaning === "picture" || closed.has(name)) return false;
  const start = node.position?.start.offset ?? 0;
  return /\w/.test(source.charAt(start - 1));
}

function standing(tag: Tag, node: Html, pieces: readonly Piece[], isWord: boolean): readonly Piece[] {
  if (isWord) return [node];
  return tag.meaning === "cell" ? cell(tag, node, pieces) : alone(tag, node);
}

/** What a tag means that stands for itself, or of which each half does. */
function alone({ meaning, isClosing }: Tag, node: Html): Piece[] {
  const position = node.position === undefined ? {} : { position: node.position };
  switch (meaning) {
    case "break":
      return [{ type: "gap", lines: 1, isForced: true, ...position }];
    case "block":
      return [{ type: "gap", lines: 1, ...position }];
    case "paragraph":
      return [{ type: "gap", lines: 2, ...position }];
    case "item":
      return isClosing
        ? []
        : [
            { type: "gap", lines: 1, ...position },
            { type: "text", value: "• ", ...behind(node) },
          ];
    case "picture": {
      const url = attributeOf(node.value, "src");
      const alt = attributeOf(node.value, "alt");
      return url === "" && alt === "" ? [] : [{ type: "image", url, alt, title: null, ...position }];
    }
    default:
      return [];
  }
}

/** What stands between the cells of a row. */
function cell({ isClosing }: Tag, node: Html, pieces: readonly Piece[]): Piece[] {
  const last = pieces.findLast((piece) => piece.type !== "text" || piece.value.trim() !== "");
  if (isClosing || last === undefined || last.type === "gap") return [];
  return [{ type: "text", value: " | ", ...(node.position === undefined ? {} : { position: node.position }) }];
}

function behind({ position }: Html): Pick<Html, "position"> {
  return position === undefined ? {} : { position: { start: position.end, end: position.end } };
}

/** Puts what stands between two tags into one node; a closing tag alone stays a word. */
function close(tag: Tag, node: Html, pieces: Piece[], opened: Map<string, number[]>, place: LinePlace): void {
  const starts = opened.get(tag.name) ?? [];
  for (let at = starts.pop(); at !== undefined; at = starts.pop()) {
    const opening = pieces[at];
    // Another pair may have taken it in.
    if (opening?.type !== "html" || tagOf(opening.value)?.name !== tag.name) continue;
    const inner = withBreaks(pieces.splice(at).slice(1), "pair");
    pieces.push(...pairOf(tag.meaning, inner, opening, node, place));
    return;
  }
  pieces.push(node);
}

function pairOf(meaning: TagMeaning, children: PhrasingContent[], from: Html, to: Html, place: LinePlace): Piece[] {
  if (children.length === 0) return [];
  const start = from.position?.start;
  const end = to.position?.end;
  const position = start === undefined || end === undefined ? {} : { position: { start, end } };
  switch (meaning) {
    case "strong":
    case "emphasis":
    case "delete":
    case "underline":
    case "subscript":
    case "superscript": {
      const [only] = children;
      const isTwice = children.length === 1 && only?.type === meaning;
      return [{ type: meaning, children: isTwice ? only.children : children, ...position }];
    }
    case "code": {
      const words = place.source.slice(from.position?.end.offset, to.position?.start.offset);
      const value = decoded(words)
        .replaceAll(/\n[ \t>]*/g, " ")
        .trim();
      return value === "" ? [] : [{ type: "inlineCode", value, ...position }];
    }
    case "link": {
      const url = attributeOf(from.value, "href");
      const label = children.flatMap((child) => (child.type === "link" ? child.children : [child]));
      return url === "" || place.isInLink
        ? children
        : [{ type: "link", url, title: null, children: label, ...position }];
    }
    case "title": {
      const around = (at: typeof start): Gap => ({
        type: "gap",
        lines: 1,
        ...(at && { position: { start: at, end: at } }),
      });
      return [around(start), { type: "strong", children, ...position }, around(end)];
    }
    default:
      return children;
  }
}
