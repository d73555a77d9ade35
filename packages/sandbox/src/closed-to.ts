import { stat } from "node:fs/promises";
import { dirname } from "node:path";

/** As `stat` tells of an entry, or `process.getuid` and `process.getgid` of an account. */
export interface Ids {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The folder that keeps the account from what is at `path`: the path itself or one above it. Undefined: none does, as far as owners and
 * modes tell; access lists and groups beside the first are not looked at. What doesn't exist yet is taken to be open.
 */
export async function closedTo(path: string, account: Ids): Promise<string | undefined> {
  for (let place = path; ; place = dirname(place)) {
    const entry = await stat(place).catch(() => undefined);
    if (entry !== undefined && !isOpenTo(entry, account, place === path && !entry.isDirectory() ? 4 : 1)) return place;
    if (place === dirname(place)) return undefined;
  }
}

/** `bit`: 4 to read a file, 1 to pass a folder. */
function isOpenTo(entry: Ids & { readonly mode: number }, { uid, gid }: Ids, bit: number): boolean {
  if (uid === 0) return true;
  const shift = entry.uid === uid ? 6 : entry.gid === gid ? 3 : 0;
  return ((entry.mode >> shift) & bit) !== 0;
}
