import type { Clock } from "@talaria/protocol";
import { type OperationsStore, type ProblemFacts, problemsOf } from "@talaria/store";
import { type Metrics, mergeSnapshots, type SnapshotPart } from "@talaria/telemetry";
import { english } from "@talaria/words";

/** If the store has not answered after this time, a gateway shows only its own figures. */
const storeMs = 2_000;

type Probe = (signal: AbortSignal) => Promise<void>;

interface Figures {
  readonly operations: Pick<OperationsStore, "backlog">;
  readonly facts: () => Promise<ProblemFacts>;
  /** What nobody is answered without. Each rejects while it takes nothing. */
  readonly probes: Readonly<Record<"database" | "queue", Probe>>;
}

/** What the store knows of problems and workers. */
interface Known {
  readonly kinds: readonly string[];
  readonly isAnswering: boolean;
  readonly workers: readonly SnapshotPart[];
}

/**
 * The Prometheus text of this gateway, of the workers as they last reported, and of the backlog and the problems that the store knows;
 * that database or queue take nothing is seen without it.
 */
export async function metricsText(metrics: Metrics, figures: Figures, clock: Clock): Promise<string> {
  const enough = new AbortController();
  const late = clock.sleep(storeMs, enough.signal).then(
    () => undefined,
    () => undefined,
  );
  const failing = Promise.all(
    Object.entries(figures.probes).map(async ([kind, probe]) => {
      const ok = probe(enough.signal).then(() => true);
      return (await Promise.race([ok.catch(() => false), late])) === true ? [] : [kind];
    }),
  );
  const reading = readStore(metrics, figures).catch(() => undefined);
  const [parts, known] = await Promise.all([failing, Promise.race([reading, late])]);
  enough.abort();
  const { kinds = [], isAnswering = true, workers = [] } = known ?? {};
  metrics.problems([...parts.flat(), ...kinds], isAnswering && parts.flat().length === 0);
  return mergeSnapshots([{ snapshot: await metrics.exportSnapshot() }, ...workers]);
}

async function readStore(metrics: Metrics, { operations, facts }: Figures): Promise<Known> {
  const [backlog, known] = await Promise.all([operations.backlog(), facts()]);
  metrics.backlog(backlog);
  const problems = problemsOf(known, english.problemPhrases).filter(({ isNote }) => isNote !== true);
  const workers = known.living.filter(({ kind }) => kind === "worker");
  return {
    kinds: problems.map(({ kind }) => kind),
    isAnswering: !problems.some(({ stopsAnswers }) => stopsAnswers),
    workers: workers.map(({ id, stats }) => ({ worker: id, snapshot: stats.metrics })),
  };
}
