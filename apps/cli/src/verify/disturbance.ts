import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@talaria/postgres/process-info";
import type { ProcessRow, ProcessStore } from "@talaria/store";

/** Between two kills: long enough for the supervisor to bring the process back. */
const pauseMs = 3_000;
/** Killed in this order. Fewer workers than the deaths after which a turn is given up. */
const victims: readonly ProcessRow["kind"][] = ["worker", "gateway", "worker", "gateway"];

/** Ends processes of this machine with SIGKILL, one after the other, until all victims are gone or the signal aborts. */
export async function disturb(
  processes: Pick<ProcessStore, "list">,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const killed = new Set<string>();
  try {
    for (const kind of victims) {
      await sleep(pauseMs, undefined, { signal });
      const victim = await firstRunning(
        (await processes.list()).filter((row) => row.kind === kind && row.host === hostname() && !killed.has(row.id)),
      );
      if (victim === undefined) continue;
      killed.add(victim.id);
      process.kill(victim.pid, "SIGKILL");
      say(`killed a ${kind} (process ${victim.pid})`);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function firstRunning(rows: readonly ProcessRow[]): Promise<ProcessRow | undefined> {
  for (const row of rows) if (await isRunning(row.pid)) return row;
  return undefined;
}
