const k1 = 1.2;
const b = 0.75;
/** What a message lends to the first and the second before and after it: the answer often stands beside the words. */
const lent = [0.4, 0.2] as const;
const bestOfSession = 8;
/** Of reciprocal rank fusion: the higher, the less the first places count. */
const fusionDepth = 60;

/** What is counted over everything that may be found. */
export interface Corpus {
  readonly messages: number;
  /** Of one message, on average. */
  readonly meanLength: number;
  /** In how many messages each of the words is, in the order of `Counted.times`. */
  readonly having: readonly number[];
}

export interface Counted {
  /** How often each of the words is in the message. */
  readonly times: readonly number[];
  /** All words of the message. */
  readonly length: number;
}

/** BM25 of one message. The counts of a corpus may be older than the message: none makes a score negative. */
export function bm25({ times, length }: Counted, { messages, meanLength, having }: Corpus): number {
  const relative = meanLength > 0 ? length / meanLength : 1;
  return times.reduce((sum, count, n) => {
    const found = having[n] ?? 0;
    const rarity = Math.log(1 + (Math.max(messages, found) - found + 0.5) / (found + 0.5));
    return sum + (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + b * relative));
  }, 0);
}

export interface Scored {
  readonly key: string;
  readonly score: number;
  /** The first and the second message before it and after it, as far as there are some. */
  readonly beside: readonly (readonly string[])[];
}

/** The scores of messages and of those beside them, with what each of them lends: one without a word of the question may be the answer. */
export function lendToNeighbours(found: readonly Scored[]): ReadonlyMap<string, number> {
  const scores = new Map<string, number>();
  const add = (key: string, score: number) => scores.set(key, (scores.get(key) ?? 0) + score);
  for (const { key, score, beside } of found) {
    add(key, score);
    for (const [distance, share] of lent.entries()) for (const near of beside[distance] ?? []) add(near, share * score);
  }
  return scores;
}

/** What a session scores: its best eight messages, each next one worth half of the one before. */
export function sessionScore(scores: readonly number[]): number {
  const best = scores.toSorted((one, other) => other - one).slice(0, bestOfSession);
  return best.reduce((sum, score, n) => sum + score / 2 ** n, 0);
}

/** Joins rankings, best first, of the same keys. A key that one of them lacks has its places in the others alone. */
export function fuseRanks(rankings: readonly (readonly string[])[]): readonly string[] {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    for (const [n, key] of ranking.entries()) scores.set(key, (scores.get(key) ?? 0) + 1 / (fusionDepth + n + 1));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([key]) => key);
}
