import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { explainFullDisk } from "../full-disk.ts";

/** A configuration file's new text, and the secret files it refers to, by their path beside the file. */
export interface NewFiles {
  readonly text: string;
  readonly files: ReadonlyMap<string, string>;
}

/** Writes the secrets, then the file that refers to them. Resolves with the secret files. */
export async function writeFiles(configFile: string, { text, files }: NewFiles): Promise<readonly string[]> {
  const folder = dirname(configFile);
  await mkdir(join(folder, "secrets"), { recursive: true, mode: 0o700 });
  for (const [path, value] of files) await replacePrivately(join(folder, path), `${value}\n`);
  await replacePrivately(configFile, text);
  return [...files.keys()].map((path) => join(folder, path));
}

/**
 * Readable by its owner only; whoever reads meanwhile sees the old text or the new one. Leaves nothing beside it, also where it fails: a full
 * disk is told with its folder.
 */
export async function replacePrivately(file: string, text: string): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw explainFullDisk(error, dirname(file));
  }
}
