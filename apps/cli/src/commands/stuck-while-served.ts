import type { OperationsStore, ProcessRow } from "@talaria/store";

type StuckSession = Awaited<ReturnType<OperationsStore["stuck"]>>[number];

/** Events that wait or run for longer than this count as stuck. */
export const stuckMs = 60_000;

/** A message that waited while no worker ran is late, and no sign of trouble: only time with a worker counts. */
export function stuckWhileServed(
  sessions: readonly StuckSession[],
  living: readonly Pick<ProcessRow, "kind" | "startedAt">[],
  now: number,
): readonly StuckSession[] {
  const starts = living.filter(({ kind }) => kind === "worker").map(({ startedAt }) => Date.parse(startedAt));
  if (starts.length === 0) return sessions;
  const servedMs = now - Math.min(...starts);
  return sessions
    .map((session) => ({ ...session, waitedMs: Math.min(session.waitedMs, servedMs) }))
    .filter(({ waitedMs, setAsideAt }) => setAsideAt !== undefined || waitedMs > stuckMs);
}
