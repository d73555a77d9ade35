import { readdir, readFile, stat } from "node:fs/promises";

/** Open files of one command that are looked at; more than these are too many. */
const maxOpenFiles = 20_000;
const pageBytes = 4_096;

export interface ProcessUsage {
  readonly memoryBytes: number;
  /** Held open, and in no folder any more: deleted files and files of memory. */
  readonly unnamedBytes: number;
  readonly problem?: string;
}

/**
 * What the processes of one `/proc` hold. `proc` is the one that a pid namespace sees, reached through its first
 * process' link to its root folder. Processes that end meanwhile count as nothing.
 */
export async function processUsage(proc: string): Promise<ProcessUsage> {
  const processes = (await names(proc)).filter((name) => /^\d+$/.test(name));
  const counted = new Set<string>();
  let memoryBytes = 0;
  let unnamedBytes = 0;
  let open = 0;
  for (const id of processes) {
    memoryBytes += await privateBytes(`${proc}/${id}/statm`);
    for (const descriptor of await names(`${proc}/${id}/fd`)) {
      open += 1;
      if (open > maxOpenFiles) return { memoryBytes, unnamedBytes, problem: `more than ${maxOpenFiles} open files` };
      const file = await stat(`${proc}/${id}/fd/${descriptor}`).catch(() => undefined);
      if (file === undefined || file.nlink > 0 || !file.isFile() || counted.has(`${file.dev}:${file.ino}`)) continue;
      counted.add(`${file.dev}:${file.ino}`);
      unnamedBytes += file.blocks * 512;
    }
  }
  return { memoryBytes, unnamedBytes };
}

/** Resident pages that aren't shared with a file: `statm` is size, resident, shared, ... in pages. */
async function privateBytes(path: string): Promise<number> {
  const [, resident, shared] = (await readFile(path, "latin1").catch(() => "")).split(" ").map(Number);
  return Math.max(0, (resident ?? 0) - (shared ?? 0)) * pageBytes;
}

function names(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
