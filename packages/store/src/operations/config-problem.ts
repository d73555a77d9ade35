import type { Problem } from "../ports/problem.ts";
import type { ProblemPhrases } from "../ports/problem-phrases.ts";
import { codeOf } from "./code-of.ts";

export interface ConfigState {
  /** Which installation: several of a fleet have a file of their own. */
  readonly place: string;
  /** Why what its file says now is not in use, a line each, most important first. None: it is. */
  readonly faults: readonly string[];
}

const mostFaultChars = 300;

/** That an installation goes on with the configuration from before, with the first reason. */
export function configProblems(state: ConfigState, phrases: ProblemPhrases): readonly Problem[] {
  const [first, ...others] = state.faults;
  if (first === undefined) return [];
  const line = phrases.configuration(codeOf(first, mostFaultChars) ?? "``", others.length);
  return [{ kind: "configuration", key: keyOf(state), code: "refused", line, stopsAnswers: false, graceMs: 0 }];
}

export function soundConfigKeys(state: ConfigState): readonly string[] {
  return state.faults.length === 0 ? [keyOf(state)] : [];
}

function keyOf({ place }: ConfigState): string {
  return `configuration:${place}`;
}
