import { constants, type Dirent } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { fatal } from "./fault.ts";
import { mostBytes, mostDepth, mostEntries, mostFileBytes, mostFiles, mostPathChars } from "./limits.ts";
import type { SkillFile } from "./skill.ts";
import { type ReadSkill, toSkill } from "./to-skill.ts";

/** What version control and desktops leave in a folder: no part of the skill. */
const notOfSkill: ReadonlySet<string> = new Set([".git", ".DS_Store"]);

/**
 * Reads a skill's folder whole, within the limits of `limits.ts`. Links, devices and what doesn't fit make the skill unusable: its digest
 * stands for every byte that anybody may be shown. Faults tell what is wrong; throws only when the signal aborts.
 */
export async function readSkill(folder: string, signal: AbortSignal): Promise<ReadSkill> {
  const name = basename(folder);
  try {
    return toSkill(name, await readFiles(folder, signal));
  } catch (error) {
    signal.throwIfAborted();
    return { name, skill: undefined, faults: [fatal(reasonOf(error))] };
  }
}

class Unreadable extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof Unreadable) return error.message;
  return `its files can't be read (${(error as NodeJS.ErrnoException).code ?? "unknown"})`;
}

async function readFiles(folder: string, signal: AbortSignal): Promise<readonly SkillFile[]> {
  const info = await lstat(folder).catch(() => undefined);
  if (info === undefined) throw new Unreadable("there is no such folder");
  if (info.isSymbolicLink()) throw new Unreadable("it is a link: copy the folder to its place");
  if (!info.isDirectory()) throw new Unreadable("it is no folder");
  const files: SkillFile[] = [];
  let left = mostBytes;
  for await (const path of pathsIn(folder)) {
    signal.throwIfAborted();
    if (files.length >= mostFiles) throw new Unreadable(`it has more than ${mostFiles} files`);
    const bytes = await readBounded(join(folder, path), path);
    left -= bytes.byteLength;
    if (left < 0) throw new Unreadable(`its files have more than ${mostBytes} bytes together`);
    files.push({ path, bytes, text: textIn(bytes) });
  }
  return files;
}

/** The paths of all files below a folder. */
async function* pathsIn(folder: string): AsyncGenerator<string, void, undefined> {
  const folders = [""];
  let found = 0;
  for (let below = folders.shift(); below !== undefined; below = folders.shift()) {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      if (notOfSkill.has(entry.name)) continue;
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      checkEntry(entry, path);
      if (entry.isFile()) yield path;
      else folders.push(path);
      found += 1;
      if (found > mostEntries) throw new Unreadable(`it has more than ${mostEntries} files and folders`);
    }
  }
}

function checkEntry(entry: Dirent, path: string): void {
  checkName(path);
  if (entry.isSymbolicLink()) throw new Unreadable(`${path} is a link: put the file itself there`);
  if (!entry.isFile() && !entry.isDirectory()) throw new Unreadable(`${path} is neither a file nor a folder`);
  if (entry.isDirectory() && path.split("/").length > mostDepth)
    throw new Unreadable(`${path} lies deeper than ${mostDepth} folders`);
}

/** A name that reads as another path is refused, whatever the file system makes of it. */
function checkName(path: string): void {
  if (path.length > mostPathChars) throw new Unreadable(`a path is longer than ${mostPathChars} characters`);
  if (/[\\\p{Cc}\p{Cf}]/u.test(path))
    throw new Unreadable(`${JSON.stringify(path)} has a character that no name may have`);
}

async function readBounded(file: string, path: string): Promise<Uint8Array> {
  // A file that has become a link or a pipe meanwhile is not followed, nor waited for.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    if (size > mostFileBytes) throw new Unreadable(`${path} has more than ${mostFileBytes} bytes`);
    const bytes = new Uint8Array(size);
    let at = 0;
    while (at < size) {
      const { bytesRead } = await handle.read(bytes, at, size - at, at);
      if (bytesRead === 0) break;
      at += bytesRead;
    }
    return bytes.subarray(0, at);
  } finally {
    await handle.close();
  }
}

function textIn(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
