import type { Clock } from "@talaria/protocol";

/**
 * Which models and keys are left alone for a while. Shared by everyone who asks them: an implementation in a store or in
 * Redis lets workers learn from each other. Names hold no secret. When a method rejects, the caller goes on as if
 * nothing rested.
 */
export interface SharedRests {
  /** Leaves `name` alone for `ms` from now, whatever was said before. */
  rest(name: string, ms: number): Promise<void>;
  /** Those of the names that rest now, with the milliseconds that are left. */
  resting(names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /**
   * The right to ask `name`. One that has rested is asked by a single caller first: everybody else gets false until that one
   * has called `rest` or `recovered`, or `ms` are over. True for one that has not rested, false for one that rests.
   */
  probe(name: string, ms: number): Promise<boolean>;
  /** It works: everybody may ask it again. */
  recovered(name: string): Promise<void>;
}

/** How many names are remembered; the ones whose rest ended first are forgotten before others. */
const mostNames = 10_000;

/** Rests that this process alone knows of. */
export function createLocalRests(clock: Clock): SharedRests {
  const until = new Map<string, number>();
  const leftOf = (name: string) => (until.get(name) ?? 0) - clock.elapsed();
  return {
    rest: async (name, ms) => {
      until.delete(name);
      if (until.size >= mostNames) forgetEarliest(until);
      until.set(name, clock.elapsed() + ms);
    },
    resting: async (names) => {
      const left = names.map((name) => [name, leftOf(name)] as const);
      return new Map(left.filter(([, ms]) => ms > 0));
    },
    probe: async (name, ms) => {
      if (!until.has(name)) return true;
      if (leftOf(name) > 0) return false;
      until.set(name, clock.elapsed() + ms);
      return true;
    },
    recovered: async (name) => {
      until.delete(name);
    },
  };
}

/** What `shared` knows; what this process has seen itself while `shared` can't be reached. Never rejects. */
export function withOwnRests(shared: SharedRests, clock: Clock): SharedRests {
  const own = createLocalRests(clock);
  const both = async (tell: (rests: SharedRests) => Promise<void>) => {
    await Promise.all([tell(own), tell(shared).catch(() => undefined)]);
  };
  return {
    rest: (name, ms) => both((rests) => rests.rest(name, ms)),
    resting: (names) => shared.resting(names).catch(() => own.resting(names)),
    probe: (name, ms) => shared.probe(name, ms).catch(() => own.probe(name, ms)),
    recovered: (name) => both((rests) => rests.recovered(name)),
  };
}

function forgetEarliest(until: Map<string, number>): void {
  let earliest: string | undefined;
  let atMs = Number.POSITIVE_INFINITY;
  for (const [name, endMs] of until) {
    if (endMs >= atMs) continue;
    earliest = name;
    atMs = endMs;
  }
  if (earliest !== undefined) until.delete(earliest);
}
