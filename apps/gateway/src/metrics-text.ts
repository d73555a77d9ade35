import type { Clock } from "@talaria/protocol";
import { type OperationsStore, type ProblemFacts, problemsOf } from "@talaria/store";
import { type Metrics, mergeSnapshots, type SnapshotPart } from "@talaria/telemetry";
import { english } from "@talaria/words";

/** If the store has not answered after this time, a gateway shows only its own figures. */
const storeMs = 2_000;

interface StoreFigures {
  readonly operations: Pick<OperationsStore, "backlog">;
  readonly facts: () => Promise<ProblemFacts>;
}

/** The Prometheus text of this gateway, of the workers as they last reported, and of the backlog and the problems that the store knows. */
export async function metricsText(metrics: Metrics, store: StoreFigures, clock: Clock): Promise<string> {
  const enough = new AbortController();
  const late = clock.sleep(storeMs, enough.signal).then(
    () => [],
    () => [],
  );
  const workers = await Promise.race([readStore(metrics, store).catch(() => []), late]);
  enough.abort();
  return mergeSnapshots([{ snapshot: await metrics.exportSnapshot() }, ...workers]);
}

async function readStore(metrics: Metrics, { operations, facts }: StoreFigures): Promise<readonly SnapshotPart[]> {
  const [backlog, known] = await Promise.all([operations.backlog(), facts()]);
  metrics.backlog(backlog);
  const problems = problemsOf(known, english.problemPhrases).filter(({ isNote }) => isNote !== true);
  metrics.problems(
    problems.map(({ kind }) => kind),
    !problems.some(({ stopsAnswers }) => stopsAnswers),
  );
  const workers = known.living.filter(({ kind }) => kind === "worker");
  return workers.map(({ id, stats }) => ({ worker: id, snapshot: stats.metrics }));
}
