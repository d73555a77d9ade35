import { stat } from "node:fs/promises";
import { closedTo, type Ids } from "../closed-to.ts";
import { accountFor } from "./account.ts";

const ownIds = (): Ids => ({ uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 });

/**
 * Why a program in the sandbox can't read a folder of this machine, for its operator. Undefined: it can, as far as owners and modes
 * tell; access lists and groups beside the first are not looked at.
 */
export async function folderProblem(path: string, own: Ids = ownIds()): Promise<string | undefined> {
  const account = accountFor(own.uid, own.gid);
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error.code ?? "EIO");
  if (found === "ENOENT" || found === "ENOTDIR") return "does not exist: correct it or take it out";
  const closed = await closedTo(path, account);
  if (closed === undefined) return undefined;
  return `can't be read by the account that runs commands (uid ${account.uid}), which ${closed} keeps out: install what is there elsewhere, such as below /opt`;
}
