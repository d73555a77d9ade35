import type { Problem } from "@talaria/store";

/** Codes of what a process lacks that is being replaced. */
const absent = new Set(["not_running", "no_answer"]);

/** The same, where a gateway or worker that is missing is being replaced on purpose, since `since` (ISO 8601): that needs nobody. */
export function asPlanned(problems: readonly Problem[], since: string | undefined): readonly Problem[] {
  if (since === undefined) return problems;
  return problems.map((problem) => {
    if ((problem.kind !== "gateway" && problem.kind !== "worker") || !absent.has(problem.code)) return problem;
    return { ...problem, line: plannedLine(since), code: "restarting", stopsAnswers: false, isNote: true };
  });
}

export function plannedLine(since: string): string {
  return `gateway and workers are being replaced, since ${since.slice(0, 19)}Z, by \`talaria restart\` or a changed configuration: messages wait until that is done`;
}
