import { constants } from "node:fs";
import { type FileHandle, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { folderName } from "./host-folder.ts";

export interface HostFile {
  /** Of those asked for. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Of the whole file. */
  readonly size: number;
}

/** A pipe is not waited for, and a link not followed. */
const asItIs = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The beginning of the first of these files that a session's workspace has, read on this machine without opening the workspace: for
 * backends whose folders lie here. Commands inside may have put anything there, so nothing but a regular file that is really in the
 * workspace's folder is read; of what is a link, or can't be read, a look from inside has to tell. Never rejects.
 */
export async function readHostFile(
  base: string,
  sessionKey: string,
  names: readonly string[],
  mostBytes: number,
): Promise<HostFile | undefined> {
  const folder = join(base, folderName(sessionKey), "files");
  for (const name of names) {
    const opened = await open(join(folder, name), asItIs).catch(codeOf);
    if (opened === "ENOENT" || opened === "ENOTDIR") continue;
    if (typeof opened === "string") return undefined;
    try {
      const found = await beginningOf(opened, join(await realpath(folder), name), mostBytes);
      return found && { name, ...found };
    } catch {
      return undefined;
    } finally {
      await opened.close();
    }
  }
  return undefined;
}

async function beginningOf(
  file: FileHandle,
  path: string,
  mostBytes: number,
): Promise<Omit<HostFile, "name"> | undefined> {
  // Where it really is can be asked only of what is held: a folder above it may be a link, and change.
  if ((await readlink(`/proc/self/fd/${file.fd}`)) !== path) return undefined;
  const info = await file.stat();
  if (!info.isFile()) return undefined;
  const bytes = Buffer.alloc(Math.min(info.size, mostBytes));
  const { bytesRead } = await file.read(bytes, 0, bytes.byteLength, 0);
  return { bytes: bytes.subarray(0, bytesRead), size: info.size };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
