import { randomUUID } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";

/** What a former start held is freed by the next one, unless something of it still ran then. */
const mostFormer = 5;

export interface SupervisorId {
  readonly id: string;
  /** Ids of earlier starts on the same folder of the same machine, the newest first. */
  readonly former: readonly string[];
  /**
   * Hands the id on to the next start. Call it when what former starts held is free, and before anything runs under the id: a
   * start that dies earlier holds nothing, and leaves the file as it was.
   */
  remember(): Promise<void>;
}

/** What the file holds: the ids, and the folder they belong to, so that a copy of the folder does not pass for it. */
interface Kept {
  readonly ids: readonly string[];
  readonly host: string;
  readonly folder: string;
}

/**
 * Gives this `talaria start` an id of its own, and the ids of those before it. Call it under the home's lock, which
 * proves that no earlier start is running. The file only saves time: without it, what an earlier start
 * held is free when its leases expire. So a file that can't be read or written is no error.
 */
export async function nextSupervisorId(file: string, dir: string): Promise<SupervisorId> {
  const { dev, ino } = await stat(dir);
  const place = { host: hostname(), folder: `${dev}:${ino}` };
  const kept = await readKept(file);
  const isOurs = kept?.host === place.host && kept.folder === place.folder;
  const former = isOurs ? kept.ids.slice(0, mostFormer) : [];
  const id = randomUUID();
  const remember = () => keep(file, { ids: [id, ...former], ...place }).catch(() => undefined);
  return { id, former, remember };
}

async function keep(file: string, kept: Kept): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(kept)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    const kept: Kept = JSON.parse(await readFile(file, "utf8"));
    return Array.isArray(kept.ids) && kept.ids.every((id) => /^[\w-]{36}$/.test(id)) ? kept : undefined;
  } catch {
    return undefined;
  }
}
