import type { Parents } from "mdast";
import { type Cut, fits, type Room } from "./cut.ts";
import { depths, type Place, placesIn } from "./inline-places.ts";
import { largestCount } from "./largest-count.ts";
import { parseAhead } from "./parse-markdown.ts";
import type { Steps } from "./steps.ts";
import { visibleText } from "./visible-text.ts";

/** How many of the best places, and of those outside all emphasis, are tried before the next worse kind. */
const tries = 4;

/**
 * Cuts the text of a paragraph or heading: after a line or sentence in the second half of what fits, else between two
 * words. `alone` allows worse places: between two graphemes, then inside links and inline code.
 */
export function* cutInline(
  source: string,
  node: Parents,
  start: number,
  room: Room,
  alone: boolean,
): Steps<Cut | undefined> {
  for (const depth of alone ? depths : depths.slice(0, 1)) {
    const places = placesIn(source, node, start, depth);
    const cut = yield* cutAtBest(source, places, room);
    if (cut !== undefined) return cut;
  }
  return undefined;
}

function* cutAtBest(source: string, places: readonly Place[], room: Room): Steps<Cut | undefined> {
  const count = yield* largestCount(places.length, (some) => headAt(source, places[some - 1]), room);
  const last = places[count - 1];
  if (last === undefined) return undefined;
  const near = places.slice(0, count).filter((place) => place.end >= last.end / 2);
  const best = near.toReversed().sort((one, other) => other.rank - one.rank);
  const outside = places.slice(0, count).filter(({ open }) => open.length === 0);
  yield* parseAhead(source);
  const shown = visibleText(source);
  for (const place of [...best.slice(0, tries), ...outside.slice(-tries).toReversed()]) {
    const cut = cutAt(source, place);
    if (cut.tail.length >= source.length || !(yield* fits(room, cut.head))) continue;
    yield* parseAhead(cut.head);
    yield* parseAhead(cut.tail);
    if (visibleText(cut.head) + visibleText(cut.tail) === shown) return cut;
  }
  return undefined;
}

function cutAt(source: string, place: Place): Cut {
  const reopened = place.open.map((mark) => mark.open).join("");
  return { head: headAt(source, place), tail: asText(reopened + source.slice(place.next)) };
}

function headAt(source: string, place: Place | undefined): string {
  if (place === undefined) return "";
  const closed = place.open.map((mark) => mark.close).toReversed();
  return source.slice(0, place.end) + closed.join("");
}

/** Escapes what would start a heading, list, quote, fence, rule or definition now that it starts a line. */
function asText(text: string): string {
  const block =
    /^(?:[-+](?=\s|$)|\*(?=\s|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$|#{1,6}(?=\s|$)|>|={1,}[ \t]*$|~{3,}|\[[^\]\n]+\]:)/m;
  const number = /^(\d{1,9})(?=[.)](?:\s|$))/;
  const found = block.exec(text);
  if (found?.index === 0) return `\\${text}`;
  return text.replace(number, "$1\\");
}
