import { execFile } from "node:child_process";
import { readdir, readFile, readlink, stat } from "node:fs/promises";

/** Whether the process runs. A zombie, which nobody has collected yet, does not. */
export async function isRunning(pid: number): Promise<boolean> {
  return isTaken(pid) && (await processStat(pid))?.state !== "Z";
}

/** Whether the system has given the id to any process, running or zombie. */
export function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * A text that tells this process from a later one with the same id; undefined when the system does not say.
 * Container restarts repeat process ids, so an id alone identifies nothing.
 */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (process.platform === "linux") return (await processStat(pid))?.startTime;
  if (process.platform === "win32") return undefined;
  return await ps(pid, "lstart=");
}

/**
 * Whether `pid` is a process of the PostgreSQL server whose cluster is in `cluster`. PostgreSQL works inside that folder, and
 * only as the folder's owner. Where the system hides the former, the latter and the program's name decide.
 */
export async function isServerProcess(pid: number, cluster: string): Promise<boolean> {
  if (!(await isRunning(pid))) return false;
  if (process.platform === "win32") return true;
  if (process.platform !== "linux") return ((await ps(pid, "comm=")) ?? "").includes("postgres");
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === cluster;
  } catch {
    return (await belongsToOwner(pid, cluster)) && (await isNamedPostgres(pid));
  }
}

/** Every process of that server, also those that outlived a killed postmaster. Empty where the system can't list them. */
export async function serverProcesses(cluster: string): Promise<number[]> {
  if (process.platform !== "linux") return [];
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(ids.map(async (pid) => ((await isServerProcess(pid, cluster)) ? [pid] : [])));
  return found.flat();
}

async function belongsToOwner(pid: number, cluster: string): Promise<boolean> {
  const [process, folder] = await Promise.all([uidOf(`/proc/${pid}`), uidOf(cluster)]);
  return process !== undefined && process === folder;
}

async function uidOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    ({ uid }) => uid,
    () => undefined,
  );
}

async function isNamedPostgres(pid: number): Promise<boolean> {
  const commandLine = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return /^postgres:|\/postgres\0/.test(commandLine);
}

async function processStat(pid: number): Promise<{ state: string; startTime: string } | undefined> {
  if (process.platform !== "linux") return undefined;
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state, startTime] = [fields[0], fields[19]];
  return state === undefined || startTime === undefined ? undefined : { state, startTime };
}

function ps(pid: number, column: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile("ps", ["-p", String(pid), "-o", column], (error, stdout) => {
      resolve(error === null ? stdout.trim() : undefined);
    });
  });
}
