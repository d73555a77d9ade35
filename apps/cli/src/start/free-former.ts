import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { isRunning } from "@talaria/postgres/process-info";
import type { ProcessRow, ProcessStore } from "@talaria/store";

/**
 * Frees what processes of earlier starts on this folder held: their accounts and sessions need not wait until leases
 * expire. `former` are the ids of those starts. A process that still runs, such as one that drains after its supervisor was
 * killed, keeps what it has, and so does every process of another start, folder or machine.
 */
export async function freeFormer(
  processes: Pick<ProcessStore, "list" | "retire">,
  former: readonly string[],
): Promise<void> {
  if (former.length === 0) return;
  for (const row of await processes.list()) {
    const isFormer = row.supervisor !== undefined && former.includes(row.supervisor) && row.host === hostname();
    if (isFormer && !(await stillRuns(row))) await processes.retire(row.id);
  }
}

/**
 * Whether the process id is still that process. Ids are given out again, so on Linux the environment it was started with
 * decides; elsewhere, and where that can't be read, any process with the id counts as the one we look for.
 */
async function stillRuns({ pid, supervisor }: ProcessRow): Promise<boolean> {
  if (!(await isRunning(pid))) return false;
  if (process.platform !== "linux") return true;
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => undefined);
  return environment === undefined || environment.split("\0").includes(`TALARIA_SUPERVISOR=${supervisor}`);
}
