import { createHash } from "node:crypto";
import { chmod, chown, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { closedTo } from "./closed-to.ts";
import { prepareDefaultFolder } from "./default-folder.ts";
import type { PlaceView } from "./place.ts";
import { plainWord } from "./quote.ts";
import { Lacking } from "./workplace/lacking.ts";

export interface SessionFolder {
  readonly root: string;
  readonly files: string;
  readonly tmp: string;
}

/** Names hold no part of the key: it may have any characters, and paths show up in `/proc/mounts`. */
export function folderName(sessionKey: string): string {
  return createHash("sha256").update(sessionKey).digest("hex").slice(0, 32);
}

/** The session's folders on this machine, owned by `owner`. What an earlier opening left in tmp is gone unless `keepsTmp`. */
export async function openSessionFolder(
  base: string,
  sessionKey: string,
  owner?: { readonly uid: number; readonly gid: number },
  { keepsTmp }: Pick<PlaceView, "keepsTmp"> = { keepsTmp: false },
): Promise<SessionFolder> {
  const root = join(base, folderName(sessionKey));
  const folder = { root, files: join(root, "files"), tmp: join(root, "tmp") };
  if (!keepsTmp) await rm(folder.tmp, { recursive: true, force: true });
  await mkdir(root, { recursive: true });
  // Whatever the umask of this process is.
  await chmod(root, 0o711);
  for (const path of [folder.files, folder.tmp]) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if (owner !== undefined) await chown(path, owner.uid, owner.gid);
  }
  return folder;
}

/** Makes the folder that sessions' folders lie in. Throws `unsupported` where `uid` could not get to it. */
export async function prepareBase(base: string, uid?: number): Promise<void> {
  await prepareDefaultFolder(base);
  await mkdir(base, { recursive: true, mode: 0o711 });
  if (uid === undefined) return;
  await chmod(base, 0o711);
  const closed = await closedTo(base, { uid, gid: uid });
  if (closed === undefined) return;
  throw new Lacking(
    `commands run as uid ${uid}, which can't pass ${closed}; choose a folder for workspaces elsewhere, or chmod o+x it`,
    { kind: "command", text: `chmod o+x ${plainWord(closed)}` },
  );
}
