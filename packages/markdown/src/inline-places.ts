import type { Nodes, Parents } from "mdast";
import { boundariesIn, boundaryBefore } from "./graphemes.ts";

/** A place where a paragraph may be cut, as offsets in its source. */
export interface Place {
  /** Where the head ends and where the tail begins; only white space or a line break lies between them. */
  readonly end: number;
  readonly next: number;
  /** Emphasis and links that span the place, outermost first. */
  readonly open: readonly Mark[];
  readonly rank: number;
}

export interface Mark {
  readonly open: string;
  readonly close: string;
}

/** How fine-grained the places are: between words, between graphemes, or also inside links, images and inline code. */
export const depths = ["words", "graphemes", "everything"] as const;
export type Depth = (typeof depths)[number];

const ranks = { grapheme: 0, inside: 1, word: 2, sentence: 3, line: 4 };

/** Every place for a cut, in order. `start` is the offset of `source` in the text the node was parsed from. */
export function placesIn(source: string, node: Parents, start: number, depth: Depth): readonly Place[] {
  const places: Place[] = [];
  visit(node.children, []);
  return places.filter(({ end, next }) => end > 0 && next < source.length && source.slice(next).trim() !== "");

  function visit(children: readonly Nodes[], open: readonly Mark[]): void {
    for (const child of children) {
      const from = (child.position?.start.offset ?? 0) - start;
      const to = (child.position?.end.offset ?? 0) - start;
      const inWords = child.type === "link" || child.type === "linkReference";
      if (child.type === "break") places.push({ end: from, next: to, open, rank: ranks.line });
      else if (child.type === "text") places.push(...placesInText(source, from, to, open, depth));
      else if ("children" in child && (depth === "everything" || !inWords))
        visit(child.children, [...open, markOf(child)]);
      else if (depth === "everything") places.push(...placesInAtom(source, child, from, to, open));
    }
  }

  function markOf(parent: Parents): Mark {
    const from = (parent.position?.start.offset ?? 0) - start;
    const to = (parent.position?.end.offset ?? 0) - start;
    const first = (parent.children[0]?.position?.start.offset ?? from + start) - start;
    const last = (parent.children.at(-1)?.position?.end.offset ?? to + start) - start;
    return { open: source.slice(from, first), close: source.slice(last, to) };
  }
}

function placesInText(source: string, from: number, to: number, open: readonly Mark[], depth: Depth): Place[] {
  const text = source.slice(from, to);
  const places: Place[] = [];
  for (const gap of text.matchAll(/\s+|(?<=[。！？])(?!\s)/g)) {
    const end = from + gap.index;
    places.push({
      end,
      next: end + gap[0].length,
      open,
      rank: rankOf(text.slice(Math.max(0, gap.index - endLength), gap.index), gap[0]),
    });
  }
  if (depth === "words") return places.filter(({ end, next }) => end > from && next < to);
  return [...places, ...betweenGraphemes(source, from, to, open)].sort((one, other) => one.end - other.end);
}

/** Enough of a text to see whether a sentence ends there. */
const endLength = 8;

function rankOf(before: string, blank: string): number {
  if (blank.includes("\n")) return ranks.line;
  return /[.!?…。！？]["'”’»)\]]*$/.test(before) ? ranks.sentence : ranks.word;
}

/** Escapes and character references stay whole. */
const whole = /\\[!-/:-@[-`{-~]|&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|\w{1,31});/g;

function betweenGraphemes(source: string, from: number, to: number, open: readonly Mark[]): Place[] {
  const text = source.slice(from, to);
  const inside = new Set<number>();
  for (const match of text.matchAll(whole)) {
    for (let at = 1; at < match[0].length; at += 1) inside.add(match.index + at);
  }
  const places: Place[] = [];
  for (const at of boundariesIn(text)) {
    if (inside.has(at) || /\s/.test(text.charAt(at))) continue;
    places.push({ end: from + at, next: from + at, open, rank: ranks.grapheme });
  }
  return places;
}

function placesInAtom(source: string, node: Nodes, from: number, to: number, open: readonly Mark[]): Place[] {
  if (node.type !== "inlineCode") return [];
  const ticks = /^`+/.exec(source.slice(from, to))?.[0];
  // Code of HTML has tags instead.
  if (ticks === undefined) return [];
  const mark = { open: `${ticks} `, close: ` ${ticks}` };
  const places: Place[] = [];
  const first = from + ticks.length + (source.charAt(from + ticks.length) === " " ? 1 : 0);
  for (let at = first + 1; at < to - ticks.length; at += 1) {
    const besideTick = source.charAt(at) === "`" || source.charAt(at - 1) === "`";
    if (besideTick || boundaryBefore(source, at) !== at) continue;
    places.push({ end: at, next: at, open: [...open, mark], rank: ranks.inside });
  }
  return places;
}
