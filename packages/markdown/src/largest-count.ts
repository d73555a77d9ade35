import type { Room } from "./cut.ts";
import type { Steps } from "./steps.ts";

/** A message this full is not filled further. */
const fullEnough = 0.98;
/** After this many guesses, every other one halves what is left, whatever the measures say. */
const patience = 3;

interface Measured {
  readonly length: number;
  readonly share: number;
}

/**
 * A count from 0 to `limit` whose piece fits: the largest, or one that leaves almost nothing free. Pieces grow with the
 * count; the piece for 0 is not asked for. Guesses follow the measures so far, so
 * only a few pieces are measured, each about as long as what fits.
 */
export function* largestCount(limit: number, pieceOf: (count: number) => string, room: Room): Steps<number> {
  let held = 0;
  let failed = limit + 1;
  let low: Measured | undefined;
  let high: Measured | undefined;
  for (let asked = 0; failed - held > 1; asked += 1) {
    const middle = Math.floor((held + failed) / 2);
    const target = asked > patience && asked % 2 === 0 ? undefined : targetLength(low, high, room);
    const count = target === undefined ? middle : longestUpTo(target, held + 1, failed - 1, pieceOf, room);
    const text = room.whole(pieceOf(count));
    const share = yield* room.ruler.share(text);
    if (share <= 1) {
      held = count;
      low = { length: text.length, share };
      if (share >= fullEnough) break;
    } else {
      failed = count;
      high = { length: text.length, share };
    }
  }
  return held;
}

/** The length at which a message is likely to be full. Undefined if nothing is known. */
function targetLength(low: Measured | undefined, high: Measured | undefined, { ruler }: Room): number | undefined {
  if (low !== undefined && high !== undefined && high.share > low.share)
    return low.length + ((1 - low.share) / (high.share - low.share)) * (high.length - low.length);
  const known = low ?? high;
  return known === undefined || known.share === 0 ? ruler.unitsThatFit : known.length / known.share;
}

/** The largest count from `least` to `most` whose text is at most `length` long; `least` if there is none. */
function longestUpTo(
  length: number,
  least: number,
  most: number,
  pieceOf: (count: number) => string,
  room: Room,
): number {
  let held = least;
  let failed = most + 1;
  while (failed - held > 1) {
    const middle = Math.floor((held + failed) / 2);
    if (room.whole(pieceOf(middle)).length <= length) held = middle;
    else failed = middle;
  }
  return held;
}
