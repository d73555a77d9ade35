import { readFile } from "node:fs/promises";
import { killGroup, signalProcess } from "../child-program.ts";

/** Bubblewrap's child is the first process of the pid namespace: its end is the end of all that are in it. */
export async function firstProcessOf(bwrapPid: number): Promise<number | undefined> {
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
