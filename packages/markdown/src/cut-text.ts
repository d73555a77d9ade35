import type { Root, RootContent } from "mdast";
import { type Cut, fits, inside, type Room } from "./cut.ts";
import { cutCode } from "./cut-code.ts";
import { cutList, cutQuote } from "./cut-containers.ts";
import { cutInline } from "./cut-inline.ts";
import { cutPlain } from "./cut-plain.ts";
import { cutTable } from "./cut-table.ts";
import { largestCount } from "./largest-count.ts";
import { parseAhead, parseMarkdown } from "./parse-markdown.ts";
import type { Steps } from "./steps.ts";

/** Containers nested this deep are cut along their structure; deeper ones are cut as plain text. */
const deepest = 8;

/** Where a text stands while it is cut. */
interface Position {
  /** Containers around it. */
  readonly depth: number;
  /** Nothing precedes it in the chunk, so a poor cut is better than none. */
  readonly alone: boolean;
}

/** Cuts a text that does not fit, at the best place its structure offers. Undefined if no part of it fits. */
export function* cutText(
  text: string,
  room: Room,
  position: Position = { depth: 0, alone: true },
): Steps<Cut | undefined> {
  yield* parseAhead(text);
  const root = parseMarkdown(text);
  if (position.depth > deepest || root.position === undefined) return yield* plainCut(text, room);
  const blocks = root.children.map((node) => blockOf(text, node));
  const count = yield* largestCount(blocks.length, (some) => text.slice(0, blocks[some - 1]?.end), room);
  const block = blocks[count];
  if (block === undefined) return { head: text.slice(0, blocks.at(-1)?.end), tail: "" };
  const source = text.slice(block.start, block.end);
  const before = blocks[boundaryFor(root, count)]?.start ?? 0;
  if (count > 0 && (before > source.length || (yield* fits(room, source)))) return cutBefore(text, before);
  const here = { depth: position.depth + 1, alone: position.alone && count === 0 };
  const behind = inside(room, (piece) => text.slice(0, block.start) + piece);
  const cut = yield* cutBlock(source, block, behind, here);
  if (cut !== undefined) return joined(text, block, cut);
  return count > 0 ? cutBefore(text, before) : undefined;
}

interface Block {
  readonly node: RootContent;
  /** From the beginning of its first line to its end. */
  readonly start: number;
  readonly end: number;
}

function blockOf(text: string, node: RootContent): Block {
  const start = node.position?.start.offset ?? 0;
  return { node, start: text.lastIndexOf("\n", start - 1) + 1, end: node.position?.end.offset ?? text.length };
}

/** The block to cut before: the first that does not fit, or the headings above it, which belong to it. */
function boundaryFor(root: Root, count: number): number {
  let boundary = count;
  while (boundary > 0 && root.children[boundary - 1]?.type === "heading") boundary -= 1;
  return boundary > 0 ? boundary : count;
}

function cutBefore(text: string, offset: number): Cut {
  return { head: text.slice(0, offset).trimEnd(), tail: text.slice(offset) };
}

function joined(text: string, { start, end }: Block, { head, tail, dedented }: Cut): Cut {
  const wasLast = text.slice(end).trim() === "";
  const cut = { head: text.slice(0, start) + head, tail: tail + text.slice(end) };
  return dedented && wasLast ? { ...cut, dedented } : cut;
}

function* cutBlock(source: string, { node, start }: Block, room: Room, position: Position): Steps<Cut | undefined> {
  const cutInside = (inner: string, innerRoom: Room) => cutText(inner, innerRoom, position);
  switch (node.type) {
    case "code":
      return yield* cutCode(source, room, position.alone);
    case "formula":
      return yield* cutCode(`\`\`\`latex\n${node.value}\n\`\`\``, room, position.alone);
    case "table":
      return yield* cutTable(source, node, start, room);
    case "list":
      return yield* cutList(source, node, start, room, cutInside);
    case "blockquote":
      return yield* cutQuote(source, room, cutInside);
    case "paragraph":
    case "heading":
      return yield* cutInline(source, node, start, room, position.alone);
    default:
      return undefined;
  }
}

function* plainCut(text: string, room: Room): Steps<Cut | undefined> {
  const cut = yield* cutPlain(text, room);
  return (yield* fits(room, cut.head)) ? cut : undefined;
}
