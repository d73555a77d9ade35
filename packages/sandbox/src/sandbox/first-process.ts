import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { killGroup, signalProcess } from "../child-program.ts";
import { insideFolder } from "./view.ts";

/** Bubblewrap's child is the first process of the pid namespace: its end is the end of all that are in it. */
async function firstProcessOf(bwrapPid: number): Promise<number | undefined> {
  const children = await readFile(`/proc/${bwrapPid}/task/${bwrapPid}/children`, "latin1").catch(() => "");
  const first = /^\d+/.exec(children)?.[0];
  return first === undefined ? undefined : Number(first);
}

/**
 * Bubblewrap alone isn't enough: until its child has asked to die with it, the child would stay. So it is stopped, which
 * makes sure that no child follows, and the child is killed by name.
 */
export async function killNamespace(bwrapPid: number | undefined): Promise<void> {
  if (bwrapPid === undefined) return;
  signalProcess(bwrapPid, "SIGSTOP");
  const first = await firstProcessOf(bwrapPid);
  if (first !== undefined) signalProcess(first, "SIGKILL");
  killGroup(bwrapPid);
}

/**
 * The `/proc` that the namespace sees. `undefined` until bubblewrap has put it in place: before, the same path leads to that
 * of the whole machine. `files` is the folder that is the workspace inside.
 */
export async function procOf(bwrapPid: number, files: string): Promise<string | undefined> {
  const first = await firstProcessOf(bwrapPid);
  if (first === undefined) return undefined;
  const root = join("/proc", `${first}`, "root");
  const [inside, outside] = await Promise.all(
    [join(root, insideFolder), files].map((path) => stat(path).catch(() => undefined)),
  );
  const isInPlace = inside !== undefined && inside.ino === outside?.ino && inside.dev === outside.dev;
  return isInPlace ? join(root, "proc") : undefined;
}
