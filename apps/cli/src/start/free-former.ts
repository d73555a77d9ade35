import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning } from "@talaria/postgres/process-info";
import type { ProcessRow, ProcessStore } from "@talaria/store";

/** How long a start waits for killed processes to end. One that a stuck disk holds longer keeps what it has. */
const dyingMs = 5_000;
const pollMs = 20;

/**
 * Frees what processes of earlier starts on this folder held: their accounts and sessions need not wait until leases
 * expire. `former` are the ids of those starts. A process that still runs, such as one that drains after its supervisor was
 * killed, keeps what it has, and so does every process of another start, folder or machine. `proc` is for tests.
 */
export async function freeFormer(
  processes: Pick<ProcessStore, "list" | "retire">,
  former: readonly string[],
  proc = "/proc",
): Promise<void> {
  if (former.length === 0) return;
  const until = performance.now() + dyingMs;
  for (const row of await processes.list()) {
    const isFormer = row.supervisor !== undefined && former.includes(row.supervisor) && row.host === hostname();
    if (isFormer && (await hasEnded(row, proc, until))) await processes.retire(row.id);
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
