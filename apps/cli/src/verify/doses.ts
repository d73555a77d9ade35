import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, serverProcesses } from "@talaria/postgres/process-info";
import type { ProcessRow, ProcessStore } from "@talaria/store";
import { disturb } from "./disturbance.ts";

/** What is done to the installation while people write. */
export type Dose = "kill" | "freeze" | "freeze-database" | "restart-database" | "kill-database";

export const doses: readonly Dose[] = ["kill", "freeze", "freeze-database", "restart-database", "kill-database"];

export interface DoseDeps {
  readonly processes: Pick<ProcessStore, "list">;
  /** The folder of the embedded database; undefined where it is another one. */
  readonly databaseDir: string | undefined;
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Before the first blow, so that turns run. */
const leadMs = 2_000;
/** Longer than a worker's lease, and shorter than what the supervisor takes for dead. */
const frozenMs = 20_000;
const frozenDatabaseMs = 45_000;
/** About as long as the database needs to be there again, and some turns to begin. */
const betweenMs = 6_000;
const blows = 5;

/** Does it, and resolves when it is done or the signal aborts. Nothing stays frozen. */
export async function give(dose: Dose, deps: DoseDeps): Promise<void> {
  try {
    if (dose !== "kill") await sleep(leadMs, undefined, { signal: deps.signal });
    await begin(dose, deps);
  } catch (error) {
    if (!deps.signal.aborted) throw error;
  }
}

async function begin(dose: Dose, deps: DoseDeps): Promise<void> {
  const { processes, say, signal } = deps;
  switch (dose) {
    case "kill":
      return disturb(processes, say, signal);
    case "freeze":
      await freeze(await oneOf("worker", deps), "a worker", frozenMs, deps);
      return freeze(await oneOf("gateway", deps), "a gateway", frozenMs, deps);
    case "freeze-database":
      return freeze(await serverProcesses(clusterOf(deps)), "the database", frozenDatabaseMs, deps);
    case "restart-database":
      return strike("SIGQUIT", "stopped the database at once", deps);
    case "kill-database":
      return strike("SIGKILL", "killed the database", deps);
    default:
      return dose satisfies never;
  }
}

/** Also when somebody ends this command meanwhile, they go on. */
async function freeze(pids: readonly number[], what: string, forMs: number, { say, signal }: DoseDeps): Promise<void> {
  const thaw = () => send("SIGCONT", pids);
  const leave = () => {
    thaw();
    process.exit(1);
  };
  process.once("SIGINT", leave).once("SIGTERM", leave);
  send("SIGSTOP", pids);
  say(`froze ${what} for ${forMs / 1_000} s`);
  try {
    await sleep(forMs, undefined, { signal });
  } finally {
    thaw();
    process.off("SIGINT", leave).off("SIGTERM", leave);
  }
}

/** PostgreSQL takes SIGQUIT for an immediate shutdown (postgresql.org/docs/current/server-shutdown.html). */
async function strike(blow: "SIGQUIT" | "SIGKILL", what: string, deps: DoseDeps): Promise<void> {
  for (let count = 1; count <= blows; count += 1) {
    send(blow, await serverProcesses(clusterOf(deps)));
    deps.say(`${what} (${count} of ${blows})`);
    await sleep(betweenMs, undefined, { signal: deps.signal });
  }
}

async function oneOf(kind: ProcessRow["kind"], { processes }: DoseDeps): Promise<readonly number[]> {
  for (const row of await processes.list())
    if (row.kind === kind && row.host === hostname() && (await isRunning(row.pid))) return [row.pid];
  return [];
}

function clusterOf({ databaseDir }: DoseDeps): string {
  if (databaseDir === undefined) throw new Error("this dose needs the embedded database");
  return join(databaseDir, "cluster");
}

function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
}
