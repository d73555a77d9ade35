import type { Clock } from "@talaria/protocol";
import { type Problem, type ProblemFacts, problemsOf, type Store } from "@talaria/store";
import { english } from "@talaria/words";

export interface ProblemSources {
  readonly operations: Pick<Store["operations"], "accounts" | "shutPlaces">;
  readonly processes: Pick<Store["processes"], "list">;
}

/** A problem as operators read it. */
export type ProblemView = Pick<Problem, "kind" | "code" | "line" | "stopsAnswers" | "isNote">;

/** What is known now of everything that may be a problem. `models`: the agent's and its fallbacks. */
export async function readProblemFacts(
  { operations, processes }: ProblemSources,
  models: readonly string[],
  clock: Clock,
): Promise<ProblemFacts> {
  const [accounts, living, places] = await Promise.all([
    operations.accounts(),
    processes.list(),
    operations.shutPlaces(),
  ]);
  return { accounts, living, models, places, now: clock.now() };
}

export function problemViews(facts: ProblemFacts): readonly ProblemView[] {
  return problemsOf(facts, english.problemPhrases).map(({ kind, code, line, stopsAnswers, isNote }) => ({
    ...{ kind, code, line, stopsAnswers },
    ...(isNote && { isNote }),
  }));
}
