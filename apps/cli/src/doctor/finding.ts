export type FindingState = "ok" | "warning" | "problem" | "mended";

/** What one check has found. */
export interface Finding {
  /** `configuration`, `model`, `disk`, ... */
  readonly check: string;
  readonly state: FindingState;
  /** One sentence; of a problem with what mends it, unless `remedy` says so. */
  readonly line: string;
  /** The one command that mends it. */
  readonly remedy?: string;
  /** Mends it without harm to anything: resolves with what was done. */
  readonly mend?: () => Promise<string>;
}

const width = { state: 9, check: 15 };

/** `problem  files          other accounts may use ~/.talaria/token; run ...`. */
export function findingLine({ state, check, line, remedy }: Finding): string {
  const end = remedy === undefined ? "" : `; run \`${remedy}\``;
  return `${state.padEnd(width.state)}${check.padEnd(width.check)}${line}${end}`;
}

/** Does what mends a finding, where there is something to do. */
export async function mendAll(findings: readonly Finding[]): Promise<readonly Finding[]> {
  const done: Finding[] = [];
  for (const { mend, ...finding } of findings) {
    if (mend === undefined) continue;
    const { check } = finding;
    const outcome = await mend().catch((error: Error) => error);
    if (typeof outcome === "string") done.push({ check, state: "mended", line: outcome });
    else done.push({ ...finding, line: `${finding.line} (not mended: ${outcome.message})` });
  }
  return done;
}

/** Of a check that can't be made: it says so, and the others go on. */
export function problemOf(check: string, error: unknown): Finding {
  return { check, state: "problem", line: error instanceof Error ? error.message : String(error) };
}
