import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Home } from "../home.ts";
import { lockHome } from "../start/home-lock.ts";

const mostProcesses = 16;

/**
 * The first of a caller's workspaces that no other process has now, until this one ends in whatever way: an editor starts a process
 * for each of its windows, and opening a workspace clears what another one left in its tmp.
 */
export async function takeWorkspace({ cacheDir }: Pick<Home, "cacheDir">, caller: string): Promise<string> {
  for (let number = 1; number <= mostProcesses; number += 1) {
    const name = `${caller}-${number}`;
    const folder = join(cacheDir, "mcp", name);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (await hasTaken(folder)) return `mcp/${name}`;
  }
  throw new Error(`${mostProcesses} processes serve the caller ${caller} already: end some, or name another caller`);
}

async function hasTaken(folder: string): Promise<boolean> {
  return await lockHome(folder).then(
    () => true,
    () => false,
  );
}
