import type { Clock } from "@talaria/protocol";
import type { OperationsStore, ProcessStore } from "@talaria/store";
import { type Metrics, mergeSnapshots, type SnapshotPart } from "@talaria/telemetry";

/** If the store has not answered after this time, a gateway shows only its own figures. */
const storeMs = 2_000;

interface StoreFigures {
  readonly operations: Pick<OperationsStore, "backlog">;
  readonly processes: Pick<ProcessStore, "list">;
}

/** The Prometheus text of this gateway, of the workers as they last reported, and of the backlog in the store. */
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

async function readStore(metrics: Metrics, { operations, processes }: StoreFigures): Promise<readonly SnapshotPart[]> {
  const [backlog, living] = await Promise.all([operations.backlog(), processes.list()]);
  metrics.backlog(backlog);
  const workers = living.filter(({ kind }) => kind === "worker");
  return workers.map(({ id, stats }) => ({ worker: id, snapshot: stats.metrics }));
}
