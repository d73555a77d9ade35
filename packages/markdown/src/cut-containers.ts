import type { List } from "mdast";
import { type Cut, inside, type Room } from "./cut.ts";
import { largestCount } from "./largest-count.ts";
import type { Steps } from "./steps.ts";

/** Cuts the text inside a container; undefined if none of it fits. */
export type CutInside = (inner: string, room: Room) => Steps<Cut | undefined>;

/** Cuts inside a quote; both sides are quotes. */
export function* cutQuote(source: string, room: Room, cutInside: CutInside): Steps<Cut | undefined> {
  const inner = source.replaceAll(/^ {0,3}> ?/gm, "");
  const cut = yield* cutInside(inner, inside(room, quoted));
  return cut && { ...cut, head: quoted(cut.head), tail: quoted(cut.tail) };
}

function quoted(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "> ").replaceAll(/^$/gm, ">");
}

/**
 * Cuts a list between two items and continues its numbers. An item that is too long by itself is cut inside; its rest
 * continues without a marker, so that no item appears twice.
 */
export function* cutList(
  source: string,
  node: List,
  start: number,
  room: Room,
  cutInside: CutInside,
): Steps<Cut | undefined> {
  const starts = node.children.map((item) => lineStart(source, (item.position?.start.offset ?? 0) - start));
  const count = yield* largestCount(starts.length - 1, (items) => source.slice(0, starts[items]).trimEnd(), room);
  if (count > 0) {
    const from = starts[count] ?? source.length;
    const number = node.ordered ? (node.start ?? 1) + count : undefined;
    return {
      head: source.slice(0, from).trimEnd(),
      tail: renumbered(source.slice(from), starts[count + 1], from, number),
    };
  }
  const item = itemOf(source.slice(0, starts[1]));
  const cut = yield* cutInside(
    item.inner,
    inside(room, (piece) => asItem(item.marker, piece)),
  );
  if (cut === undefined) return undefined;
  const tail = starts[1] === undefined ? cut.tail : `${cut.tail.trimEnd()}\n\n${source.slice(starts[1])}`;
  return { head: asItem(item.marker, cut.head), tail, dedented: true };
}

function lineStart(source: string, offset: number): number {
  return source.lastIndexOf("\n", offset - 1) + 1;
}

interface Item {
  /** The marker with the blanks around it. */
  readonly marker: string;
  /** The item's text without marker and indentation. */
  readonly inner: string;
}

function itemOf(source: string): Item {
  const spaced = source.replaceAll(/^([ \t]*(?:[-+*]|\d{1,9}[.)])?)\t+/gm, (_, before: string) => `${before}    `);
  const marker = /^ *(?:[-+*]|\d{1,9}[.)])(?: {1,4}(?=\S)| ?)/.exec(spaced)?.[0] ?? "";
  const indentation = new RegExp(`\n {1,${Math.max(1, marker.length)}}`, "g");
  return { marker, inner: spaced.slice(marker.length).replaceAll(indentation, "\n") };
}

function asItem(marker: string, inner: string): string {
  return marker + inner.replaceAll(/\n(?=[^\n])/g, `\n${" ".repeat(marker.length)}`);
}

/** The remaining items, numbered from what the first of them shows; writers often number every item `1.`. */
function renumbered(source: string, second: number | undefined, from: number, number: number | undefined): string {
  const end = second === undefined ? source.length : second - from;
  const [, indent = "", digits, sign = ""] = /^( *)(\d{1,9})([.)] +)/.exec(source) ?? [];
  if (number === undefined || digits === undefined || Number(digits) === number) return source;
  return asItem(`${indent}${number}${sign}`, itemOf(source.slice(0, end)).inner) + source.slice(end);
}
