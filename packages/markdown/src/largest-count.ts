import type { Room } from "./cut.ts";
import type { Steps } from "./steps.ts";

/** A message that is so full is not filled further. */
const fullEnough = 0.98;
/** After so many guesses every other one halves what is left, whatever the measures say. */
const patience = 3;

interface Measured {
  readonly length: number;
  readonly share: number;
}

/**
 * A count from 0 to `limit` whose piece fits: the largest, or one that leaves next to nothing free. Pieces grow with the
 * count; that of 0 is not asked about. Where the length to be found lies is guessed from the measures so far: a few
 * pieces are measured, and each is about as long as what fits.
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

/** The length at which a message is about to be full. Undefined when nothing is known. */
function targetLength(low: Measured | undefined, high: Measured | undefined, { ruler }: Room): number | undefined {
  if (low !== undefined && high !== undefined && high.share > low.share)
    return low.length + ((1 - low.share) / (high.share - low.share)) * (high.length - low.length);
  const known = low ?? high;
  return known === undefined || known.share === 0 ? ruler.unitsThatFit : known.length / known.share;
}

/** The largest count from `least` to `most` whose text is not longer than `length`; `least` when there is none. */
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
