import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Address } from "./address.ts";
import { isServerProcess, isTaken, serverProcesses } from "./process-info.ts";

export interface PidFile {
  readonly pid: number;
  readonly address: Address;
  readonly status: "starting" | "stopping" | "ready";
}

const orphanWaitMs = 5_000;
const pollMs = 50;

/**
 * What `postmaster.pid` says. Its lines are process id, data folder, start time, port, socket folder, first TCP address or
 * nothing, shared memory, status: LOCK_FILE_LINE_* in PostgreSQL's src/include/utils/pidfile.h. Undefined when there is no
 * such file or it is still being written.
 */
export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, "postmaster.pid"), "utf8").catch(() => "");
  const lines = text.split("\n").map((line) => line.trim());
  const [pid, port, tcp, status] = [Number(lines[0]), Number(lines[3]), lines[5], lines[7]];
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  const address: Address = { kind: tcp === "" ? "socket" : "tcp", port };
  if (status === "ready" || status === "stopping") return { pid, address, status };
  return { pid, address, status: "starting" };
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
      await removeSocketLocks(cluster);
      return;
    }
    await sleep(pollMs);
  }
}

/** The lock beside a socket names the same process, and PostgreSQL believes it in the same way. */
async function removeSocketLocks(cluster: string): Promise<void> {
  const names = (await readdir(cluster)).filter((name) => /^\.s\.PGSQL\.\d+\.lock$/.test(name));
  await Promise.all(names.map((name) => rm(join(cluster, name), { force: true })));
}
