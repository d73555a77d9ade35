import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readSkill } from "./read-skill.ts";
import type { ReadSkill } from "./to-skill.ts";

/** Folders of skills that are looked at, in the order of their names. */
const mostSkills = 100;

/** The names of folders that may be skills, sorted, at most 100. None where the folder is missing. Throws what the file system throws. */
export async function skillNames(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !/^[._]/.test(entry.name))
      .map(({ name }) => name)
      .toSorted()
      .slice(0, mostSkills);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** All skills of a folder, one after the other, so that no more than one has to be kept. */
export async function* readSkills(folder: string, signal: AbortSignal): AsyncGenerator<ReadSkill, void, undefined> {
  for (const name of await skillNames(folder)) yield await readSkill(join(folder, name), signal);
}
