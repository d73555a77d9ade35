import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@talaria/postgres/process-info";
import type { ProcessRow, ProcessStore } from "@talaria/store";

/** How long a start waits for killed processes to end. One that a stuck disk holds longer keeps what it has. */
const dyingMs = 5_000;
const pollMs = 20;

export interface Former {
  /** The ids of earlier starts on this folder. */
  readonly ids: readonly string[];
  /** The id of a start whose folder alone has the database: whoever else is in it is gone, wherever it ran. A folder may have been moved or copied. */
  readonly soleUser?: string | undefined;
}

/**
 * Frees what processes of earlier starts held: their accounts and sessions need not wait until leases
 * expire. A process that still runs, such as one that drains after its supervisor was
 * killed, keeps what it has, and so does every process of another start, folder or machine that may share the database. `proc` is for tests.
 */
export async function freeFormer(
  processes: Pick<ProcessStore, "list" | "retire">,
  { ids, soleUser }: Former,
  proc = "/proc",
): Promise<void> {
  if (ids.length === 0 && soleUser === undefined) return;
  const until = performance.now() + dyingMs;
  for (const row of await processes.list()) {
    const isFormer = row.supervisor !== undefined && ids.includes(row.supervisor) && row.host === hostname();
    const isLeft = soleUser !== undefined && row.supervisor !== undefined && row.supervisor !== soleUser;
    if (!isFormer && !isLeft) continue;
    if (row.host !== hostname() || (await hasEnded(row, proc, until))) await processes.retire(row.id);
  }
}

/** On a busy machine a process lives on for a moment after it was killed: that end is waited for, but no other. */
async function hasEnded(row: ProcessRow, proc: string, until: number): Promise<boolean> {
  for (;;) {
    // In this order: what ends between the two looks has ended.
    const isDying = await isKilled(row.pid, proc);
    if (!(await stillRuns(row, proc))) return true;
    if (!isDying || performance.now() > until) return false;
    await sleep(pollMs);
  }
}

/**
 * Whether the process id is still that process. Ids are given out again, so on Linux the environment it was started with
 * decides; elsewhere, and where that may not be read, any process with the id counts as the one we look for.
 */
async function stillRuns({ pid, supervisor }: ProcessRow, proc: string): Promise<boolean> {
  if (!(await isRunning(pid))) return false;
  if (process.platform !== "linux") return true;
  try {
    const environment = await readFile(`${proc}/${pid}/environ`, "utf8");
    return environment.split("\0").includes(`TALARIA_SUPERVISOR=${supervisor}`);
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ESRCH");
    return !isGone;
  }
}

/** Whether a SIGKILL waits for the process: bit 8 of the pending signals in proc_pid_status(5), which are hexadecimal. */
async function isKilled(pid: number, proc: string): Promise<boolean> {
  const status = await readFile(`${proc}/${pid}/status`, "utf8").catch(() => "");
  return /^(?:SigPnd|ShdPnd):\s*[0-9a-f]*[13579bdf][0-9a-f]{2}$/m.test(status);
}
