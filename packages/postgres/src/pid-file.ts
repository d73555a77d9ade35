import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isServerProcess, isTaken, serverProcesses } from "./process-info.ts";

export interface PidFile {
  readonly pid: number;
  readonly port: number;
  readonly status: "starting" | "stopping" | "ready";
}

const orphanWaitMs = 5_000;
const pollMs = 50;

/** What `postmaster.pid` says, or undefined when there is none or it is still being written. */
export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.trim());
  const [pid, port, status] = [Number(lines[0]), Number(lines[3]), lines[7]];
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  if (status === "ready" || status === "stopping") return { pid, port, status };
  return { pid, port, status: "starting" };
}

/**
 * Removes a `postmaster.pid` whose process id belongs to another program by now, which PostgreSQL itself would take for a
 * running server. Waits up to 5 s for the children of a killed server, so that never two servers share the data.
 */
export async function clearStalePidFile(cluster: string): Promise<void> {
  const file = await readPidFile(cluster);
  if (file === undefined || !isTaken(file.pid) || (await isServerProcess(file.pid, cluster))) return;
  for (let waited = 0; waited < orphanWaitMs; waited += pollMs) {
    if ((await serverProcesses(cluster)).length === 0) {
      await rm(join(cluster, "postmaster.pid"), { force: true });
      return;
    }
    await sleep(pollMs);
  }
}
