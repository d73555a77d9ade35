import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@talaria/protocol";
import { signalProcess } from "../child-program.ts";

const maxRounds = 400;
const pauseMs = 5;
/** Rounds without one in a row after which none is left. */
const clearRounds = 2;
const maxReads = 3;

/**
 * Kills every process of this machine whose environment has `mark`, `NAME=value`, until none is left: one that forks while it is
 * looked for leaves a child that bears the mark too. Gives up after two seconds or more.
 */
export async function killMarked(mark: string, clock: Clock): Promise<void> {
  for (let round = 0, clear = 0; round < maxRounds && clear < clearRounds; round += 1) {
    const found = await processesWith(mark);
    for (const { pid, isMarked } of found) if (isMarked) signalProcess(pid, "SIGKILL");
    clear = found.length === 0 ? clear + 1 : 0;
    await clock.sleep(pauseMs);
  }
}

interface Found {
  readonly pid: number;
  /** False: whether it has the mark can't be told yet. */
  readonly isMarked: boolean;
}

async function processesWith(mark: string): Promise<readonly Found[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly Found[]> => {
      const variables = await variablesOf(id);
      if (variables === undefined) return [{ pid: Number(id), isMarked: false }];
      return variables.split("\0").includes(mark) ? [{ pid: Number(id), isMarked: true }] : [];
    }),
  );
  return found.flat();
}

/**
 * What a process has in its environment. Undefined while another program is being put in its place: then it has neither variables nor
 * arguments, and what was opened before reads as empty. Threads of the kernel and processes that are gone have no file that runs.
 * `environ_read` and `get_mm_cmdline` in https://github.com/torvalds/linux/blob/master/fs/proc/base.c
 */
async function variablesOf(id: string): Promise<string | undefined> {
  const folder = join("/proc", id);
  const read = (name: string) => readFile(join(folder, name), "latin1").catch(() => undefined);
  for (let reads = 0; reads < maxReads; reads += 1) {
    const variables = await read("environ");
    if (variables !== "") return variables ?? "";
    const file = await readlink(join(folder, "exe")).catch(() => undefined);
    if (file === undefined) return "";
  }
  return (await read("cmdline")) === "" ? undefined : "";
}
