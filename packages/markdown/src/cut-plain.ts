import type { Cut, Room } from "./cut.ts";
import { boundaryBefore } from "./graphemes.ts";
import { largestCount } from "./largest-count.ts";
import type { Steps } from "./steps.ts";

/**
 * Cuts a text regardless of its markup: at the last blank in the second half of what fits, else between two
 * graphemes. Always takes at least one character, even one that does not fit.
 */
export function* cutPlain(text: string, room: Room): Steps<Cut> {
  const most = yield* largestCount(text.length, (count) => text.slice(0, count), room);
  const end =
    most === text.length ? most : blankBefore(text, most) || boundaryBefore(text, most) || firstCharacter(text);
  return { head: text.slice(0, end), tail: text.slice(end).trimStart() };
}

function blankBefore(text: string, end: number): number {
  for (let at = end; at > end / 2; at -= 1) if (/\s/.test(text.charAt(at))) return at;
  return 0;
}

function firstCharacter(text: string): number {
  return (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
}
