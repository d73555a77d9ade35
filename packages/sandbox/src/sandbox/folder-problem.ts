import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { accountFor } from "./account.ts";

/** As `process.getuid` and `process.getgid` say. */
interface Ids {
  readonly uid: number;
  readonly gid: number;
}

const ownIds = (): Ids => ({ uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 });

/**
 * Why a program in the sandbox can't read a folder of this machine, for its operator. Undefined: it can, as far as owners and modes
 * tell; access lists and groups beside the first are not looked at.
 */
export async function folderProblem(path: string, own: Ids = ownIds()): Promise<string | undefined> {
  const account = accountFor(own.uid, own.gid);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? "EIO");
  if (found === "ENOENT" || found === "ENOTDIR") return "does not exist: correct it or take it out";
  for (let place = path; ; place = dirname(place)) {
    const entry = place === path && typeof found !== "string" ? found : await stat(place).catch(() => undefined);
    if (entry !== undefined && !isOpenTo(entry, account, place === path && !entry.isDirectory() ? 4 : 1))
      return `can't be read by the account that runs commands (uid ${account.uid}), which ${place} keeps out: install what is there elsewhere, such as below /opt`;
    if (place === dirname(place)) return undefined;
  }
}

/** `bit`: 4 to read a file, 1 to pass a folder. */
function isOpenTo(entry: Ids & { readonly mode: number }, { uid, gid }: Ids, bit: number): boolean {
  if (uid === 0) return true;
  const shift = entry.uid === uid ? 6 : entry.gid === gid ? 3 : 0;
  return ((entry.mode >> shift) & bit) !== 0;
}
