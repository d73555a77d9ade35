import { readdir, readFile, readlink } from "node:fs/promises";

/** The supervisor with its descendants, and the embedded database, which works in a folder of `home`. Needs /proc. */
export async function processesOf(supervisor: number, home: string): Promise<readonly number[]> {
  const all = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const parents = new Map(await Promise.all(all.map(async (pid) => [pid, await parentOf(pid)] as const)));
  const found = new Set([supervisor]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  for (const pid of all) if ((await readlink(`/proc/${pid}/cwd`).catch(() => "")).startsWith(home)) found.add(pid);
  return [...found];
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}
