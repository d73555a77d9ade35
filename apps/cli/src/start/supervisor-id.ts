import { randomUUID } from "node:crypto";
import { readFile, rename, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";

/** Starts that ended before they could free what their predecessor held leave its id to the next one. */
const mostFormer = 5;

export interface SupervisorId {
  readonly id: string;
  /** Ids of earlier starts on the same folder of the same machine, the newest first. */
  readonly former: readonly string[];
}

/** What the file holds: the ids, and the folder they belong to, so that a copy of the folder does not pass for it. */
interface Kept {
  readonly ids: readonly string[];
  readonly host: string;
  readonly folder: string;
}

/**
 * Gives this `talaria start` an id of its own and remembers it for the next one. Call it under the home's lock, which
 * proves that no earlier start is running. The file is a convenience: when it can't be read, there is nothing former.
 */
export async function nextSupervisorId(file: string, dir: string): Promise<SupervisorId> {
  const { dev, ino } = await stat(dir);
  const place = { host: hostname(), folder: `${dev}:${ino}` };
  const kept = await readKept(file);
  const isOurs = kept?.host === place.host && kept.folder === place.folder;
  const former = isOurs ? kept.ids.slice(0, mostFormer) : [];
  const id = randomUUID();
  await writeFile(`${file}.new`, `${JSON.stringify({ ids: [id, ...former], ...place })}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return { id, former };
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    const kept: Kept = JSON.parse(await readFile(file, "utf8"));
    return Array.isArray(kept.ids) && kept.ids.every((id) => /^[\w-]{36}$/.test(id)) ? kept : undefined;
  } catch {
    return undefined;
  }
}
