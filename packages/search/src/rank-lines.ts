import { bm25, type Corpus, type Counted, lendToNeighbours, sessionScore } from "./rank-messages.ts";

/** Lines whose neighbours are looked at. What others would lend is little. */
const mostLenders = 60;
/** Lines of one conversation without a longer pause are one sitting. */
const longestPauseMs = 4 * 3_600_000;
const mostSittings = 3;

export interface FoundLine extends Counted {
  readonly key: string;
  /** The conversation. */
  readonly place: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface ScoredLine extends FoundLine {
  readonly score: number;
}

/** A part of a conversation that people had at one time. */
export interface Sitting {
  readonly place: string;
  /** The first and the last of its found lines, in milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
}

/** The lines that have most of what is sought, best first, the newer of two that have as much. At most 60. */
export function bestLines(found: readonly FoundLine[], corpus: Corpus): readonly ScoredLine[] {
  return found
    .map((line) => ({ ...line, score: bm25(line, corpus) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || other.at - one.at)
    .slice(0, mostLenders);
}

/** Keys of those lines and of the lines beside them, best first. `beside`: see `Scored`. */
export function rankLines(best: readonly ScoredLine[], beside: ReadonlyMap<string, readonly (readonly string[])[]>) {
  const scores = lendToNeighbours(best.map(({ key, score }) => ({ key, score, beside: beside.get(key) ?? [] })));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
}

/** The three sittings that have most of what is sought, best first. */
export function bestSittings(best: readonly ScoredLine[]): readonly Sitting[] {
  const sittings: { readonly place: string; readonly from: number; until: number; readonly scores: number[] }[] = [];
  const sorted = best.toSorted((one, other) => compare(one.place, other.place) || one.at - other.at);
  for (const { place, at, score } of sorted) {
    const last = sittings.at(-1);
    if (last !== undefined && last.place === place && at - last.until <= longestPauseMs) {
      last.until = at;
      last.scores.push(score);
    } else sittings.push({ place, from: at, until: at, scores: [score] });
  }
  return sittings
    .toSorted((one, other) => sessionScore(other.scores) - sessionScore(one.scores))
    .slice(0, mostSittings)
    .map(({ place, from, until }) => ({ place, from, until }));
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
