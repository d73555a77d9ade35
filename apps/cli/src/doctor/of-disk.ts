import { access, constants, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import type { Finding } from "./finding.ts";

/** A new embedded database takes about 60 MB, its write-ahead log up to 1 GB; below this, a busy day may fill what is left. */
const tightBytes = 1_073_741_824;
/** PostgreSQL can't go on without room for a segment of its log and a checkpoint. */
const leastBytes = 209_715_200;

/** Free space and the right to write where the data folder is, and where files of conversations are. */
export async function ofDisk(folders: Readonly<Record<string, string>>): Promise<readonly Finding[]> {
  return await Promise.all(Object.entries(folders).map(([what, path]) => roomAt(what, path)));
}

async function roomAt(what: string, path: string): Promise<Finding> {
  const place = await nearest(path);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const line = `${gigabytes(free)} free for ${what} (${path})`;
  const check = "disk";
  const mayWrite = await access(place, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!mayWrite)
    return {
      check,
      state: "problem",
      line: `${what} (${path}) can't be written by this account`,
      remedy: `sudo chown $USER ${place}`,
    };
  if (free >= tightBytes) return { check, state: "ok", line };
  const needs = `, ${gigabytes(tightBytes)} are advised and ${gigabytes(leastBytes)} needed`;
  return { check, state: free < leastBytes ? "problem" : "warning", line: line + needs, remedy: `df -h ${place}` };
}

/** The folder itself or, where it isn't there yet, the one that it would be made in. */
async function nearest(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : await nearest(dirname(path));
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1_073_741_824).toFixed(1)} GiB`;
}
