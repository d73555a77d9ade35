import { once } from "node:events";
import { chown, open, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { dataArgument, ownerOf, type RunAs, spawnAs } from "./account.ts";
import type { Address } from "./address.ts";
import type { Binaries } from "./binaries.ts";
import type { DataFolder } from "./cluster.ts";
import { explainServerOutput, type PostgresError } from "./errors.ts";
import { readPidFile } from "./pid-file.ts";
import { isRunning } from "./process-info.ts";
import { explainSpawnError } from "./program.ts";

const pollMs = 10;
const fastStopMs = 10_000;
const immediateStopMs = 6_000;
/** How long the log collector may take for what a server said before it exited. */
const lastWordsMs = 2_000;

export interface ServerPlace {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly runAs: RunAs;
  readonly address: Address;
  /** The text of `talaria.conf`. */
  readonly settings: string;
}

/**
 * Spawns PostgreSQL as a process that outlives us and resolves with its id once it accepts connections, however long the
 * recovery after a crash takes. Resolves with a PostgresError when it exits instead.
 */
export async function spawnServer(
  place: ServerPlace,
  signal: AbortSignal | undefined,
): Promise<number | PostgresError> {
  const { folder } = place;
  await writeSettings(place);
  const logBefore = await newestLog(folder);
  const startLog = await open(folder.startLog, "w", 0o600);
  try {
    const server = spawnAs(
      place.runAs,
      place.binaries.postgres,
      ["-D", dataArgument(place.runAs, folder.cluster), "-p", String(place.address.port)],
      { cwd: folder.cluster, detached: true, stdio: ["ignore", startLog.fd, startLog.fd] },
    );
    await once(server, "spawn").catch((error) => Promise.reject(explainSpawnError(error)));
    server.unref();
    const pid = server.pid as number;
    while (server.exitCode === null && server.signalCode === null) {
      const file = await readPidFile(folder.cluster);
      if (file?.pid === pid && file.status === "ready") return pid;
      if (signal?.aborted) {
        await stopServer(pid);
        throw signal.reason;
      }
      await sleep(pollMs);
    }
    return explainServerOutput(await complaints(folder, logBefore), folder.root);
  } finally {
    await startLog.close();
  }
}

/**
 * Ends the server: running transactions are rolled back and the data is left clean. After `patienceMs` the server is stopped
 * immediately, which costs a recovery at the next start. Resolves when the process is gone, also when it was before.
 */
export async function stopServer(pid: number, patienceMs = fastStopMs): Promise<void> {
  tell(pid, "SIGINT");
  if (await isGone(pid, patienceMs)) return;
  tell(pid, "SIGQUIT");
  if (await isGone(pid, immediateStopMs)) return;
  tell(pid, "SIGKILL");
  await isGone(pid, immediateStopMs);
}

export async function isGone(pid: number, waitMs: number): Promise<boolean> {
  for (let waited = 0; waited < waitMs; waited += pollMs) {
    if (!(await isRunning(pid))) return true;
    await sleep(pollMs);
  }
  return !(await isRunning(pid));
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

async function writeSettings(place: ServerPlace): Promise<void> {
  const file = join(place.folder.cluster, "talaria.conf");
  if ((await readFile(file, "utf8").catch(() => undefined)) === place.settings) return;
  await writeFile(`${file}.new`, place.settings, { mode: 0o600 });
  const owner = ownerOf(place.runAs);
  if (owner !== undefined) await chown(`${file}.new`, owner.uid, owner.gid);
  await rename(`${file}.new`, file);
}

interface LogMark {
  readonly name: string;
  readonly bytes: number;
}

/** What the server said before it exited. Its log collector may write the last words a moment after its end. */
async function complaints(folder: DataFolder, before: LogMark | undefined): Promise<string> {
  for (let waited = 0; ; waited += pollMs) {
    const output = await readOutput(folder, before);
    const isWhole = !output.includes("Future log output") || /FATAL|PANIC/.test(output);
    if (isWhole || waited >= lastWordsMs) return output;
    await sleep(pollMs);
  }
}

/** Early errors go to the start log, those after the log collector began to its newest file. */
async function readOutput(folder: DataFolder, before: LogMark | undefined): Promise<string> {
  const early = await readFile(folder.startLog, "utf8");
  const newest = await newestLog(folder);
  if (newest === undefined) return early;
  const text = await readFile(join(folder.cluster, "log", newest.name));
  const start = newest.name === before?.name && newest.bytes >= before.bytes ? before.bytes : 0;
  return early + text.subarray(start).toString("utf8");
}

async function newestLog(folder: DataFolder): Promise<LogMark | undefined> {
  const names = await readdir(join(folder.cluster, "log")).catch(() => []);
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder.cluster, "log", name));
      return { name, bytes: found.size, changedAtMs: found.mtimeMs };
    }),
  );
  return files.sort((a, b) => b.changedAtMs - a.changedAtMs)[0];
}
