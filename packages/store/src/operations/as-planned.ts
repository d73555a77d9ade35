import type { PlannedAbsence, Problem } from "../ports/problem.ts";

/** Codes of what a process lacks that is away on purpose, and the codes of the notes instead. */
const absent = new Set(["not_running", "no_answer"]);
const codes = { restart: "restarting", stop: "stopping" } as const;
const planned = new Set<string>(Object.values(codes));

/** The same, where a gateway or worker that is missing is away on purpose: that needs nobody. */
export function asPlanned(problems: readonly Problem[], absence: PlannedAbsence | undefined): readonly Problem[] {
  if (absence === undefined) return problems;
  return problems.map((problem) => {
    if (!isProcess(problem) || !absent.has(problem.code)) return problem;
    const { kind, key, graceMs } = problem;
    const line = plannedLine(absence);
    return { kind, key, graceMs, line, code: codes[absence.kind], stopsAnswers: false, isNote: true };
  });
}

/** Whether it is such a note. */
export function isPlanned(problem: Pick<Problem, "kind" | "code">): boolean {
  return isProcess(problem) && planned.has(problem.code);
}

export function plannedLine({ kind, since }: PlannedAbsence): string {
  const at = `since ${since.slice(0, 19)}Z`;
  if (kind === "stop") return `Talaria is being stopped, ${at}: messages wait until it is started again`;
  return `gateway and workers are being replaced, ${at}, by \`talaria restart\` or a changed configuration: messages wait until that is done`;
}

function isProcess({ kind }: Pick<Problem, "kind">): boolean {
  return kind === "gateway" || kind === "worker";
}
