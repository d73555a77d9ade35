import { randomUUID } from "node:crypto";
import { link, readFile, rename, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, startTimeOf } from "./process-info.ts";

const pollMs = 25;

/**
 * Runs `work` while no other caller, in this process or another, runs under the same lock file.
 * A holder that was killed loses the lock to the next caller. Rejects when `signal` aborts the wait.
 */
export async function withFolderLock<T>(
  file: string,
  work: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const mine = `${process.pid} ${await startTimeOf(process.pid)} ${randomUUID()}`;
  while (!(await take(file, mine))) {
    if (await isAbandoned(file)) await removeAbandoned(file);
    else await sleep(pollMs, undefined, signal === undefined ? {} : { signal });
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** The lock file appears with its content in one step, so nobody reads half an owner. */
async function take(file: string, owner: string): Promise<boolean> {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    await writeFile(unfinished, owner, { mode: 0o600 });
    await link(unfinished, file);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  const owner = await readFile(file, "utf8").catch(() => undefined);
  return owner !== undefined && !(await isHeldBy(owner));
}

async function isHeldBy(owner: string): Promise<boolean> {
  const [pid, startTime] = owner.split(" ");
  if (!(await isRunning(Number(pid)))) return false;
  return String(await startTimeOf(Number(pid))) === startTime;
}

/** Moves the file aside before it is deleted: a lock that was taken in between is put back. */
async function removeAbandoned(file: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  if (await isHeldBy(await readFile(aside, "utf8"))) await link(aside, file).catch(() => undefined);
  await rm(aside, { force: true });
}
