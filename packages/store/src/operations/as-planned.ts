import type { PlannedAbsence, Problem } from "../ports/problem.ts";
import type { ProblemPhrases } from "../ports/problem-phrases.ts";
import { toSecond } from "./to-second.ts";

/** Codes of what a process lacks that is away on purpose, and the codes of the notes instead. */
const absent = new Set(["not_running", "no_answer"]);
const codes = { restart: "restarting", stop: "stopping" } as const;
const planned = new Set<string>(Object.values(codes));

/** The same, where a gateway or worker that is missing is away on purpose: that needs nobody. */
export function asPlanned(
  problems: readonly Problem[],
  absence: PlannedAbsence | undefined,
  phrases: ProblemPhrases,
): readonly Problem[] {
  if (absence === undefined) return problems;
  return problems.map((problem) => {
    if (!isProcess(problem) || !absent.has(problem.code)) return problem;
    const { kind, key, graceMs } = problem;
    const line = plannedLine(absence, phrases);
    return { kind, key, graceMs, line, code: codes[absence.kind], stopsAnswers: false, isNote: true };
  });
}

/** Whether it is such a note. */
export function isPlanned(problem: Pick<Problem, "kind" | "code">): boolean {
  return isProcess(problem) && planned.has(problem.code);
}

export function plannedLine({ kind, since }: PlannedAbsence, phrases: ProblemPhrases): string {
  const at = toSecond(since);
  return kind === "stop" ? phrases.stopping(at) : phrases.restarting(at);
}

function isProcess({ kind }: Pick<Problem, "kind">): boolean {
  return kind === "gateway" || kind === "worker";
}
