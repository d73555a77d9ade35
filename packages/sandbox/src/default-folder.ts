import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { GatewayError } from "@talaria/protocol";
import { closedTo } from "./closed-to.ts";
import { accountFor } from "./sandbox/account.ts";

/** Of root's installations. Other accounts pass it and can't list it. */
const systemFolder = "/var/lib/talaria-work";

interface FolderOptions {
  /** Of this process: 0 is root. */
  readonly uid?: number;
  /** Of root's installations together, absolute. */
  readonly base?: string;
  /** False: looks and makes nothing. */
  readonly makes?: boolean;
  /** The data folder is about to be closed to other accounts, whatever its mode is now. */
  readonly closes?: boolean;
}

/**
 * Where the workspaces of the installation with that data folder lie unless its configuration says: in the data folder, or, where
 * bubblewrap is to run root's commands and they could not get in, in a folder of its own below `/var/lib/talaria-work`. Absolute; makes
 * nothing.
 */
export async function defaultFolder(
  home: string,
  backend: string,
  { uid = ownUid(), base = systemFolder, closes = false }: FolderOptions = {},
): Promise<string> {
  const inside = join(home, "workspaces");
  if (uid !== 0 || backend !== "sandbox") return inside;
  // A start closes the folder that it makes.
  const real = await realpath(home).catch(() => undefined);
  const isOpen = !closes && real !== undefined && (await closedTo(inside, accountFor(uid, uid))) === undefined;
  return isOpen ? inside : join(base, nameFor(real ?? home));
}

/**
 * Makes the folder where it is one below `/var/lib/talaria-work`, and does nothing for any other. Throws `unsupported` where somebody but
 * root could change what is in it, or has made it.
 */
export async function prepareDefaultFolder(
  path: string,
  { uid = ownUid(), base = systemFolder, makes = true }: FolderOptions = {},
): Promise<void> {
  if (dirname(path) !== base || !nameForm.test(basename(path))) return;
  const parent = await realpath(dirname(base)).catch((cause: unknown) => {
    throw refusal(dirname(base), "does not exist", cause);
  });
  for (let place = parent; ; place = dirname(place)) {
    await checkKeeper(place, uid);
    if (place === dirname(place)) break;
  }
  // From here on nobody else can put anything in the way.
  for (const place of [base, path]) {
    if (!makes && (await lstat(place).catch(() => undefined)) === undefined) return;
    await mkdir(place, { mode: 0o711 }).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== "EEXIST") throw refusal(place, `can't be made (${cause.code})`, cause);
    });
    await checkKeeper(place, uid);
    // Whatever the umask of this process is.
    if (makes) await chmod(place, 0o711);
  }
}

const nameForm = /^[0-9a-f]{16}$/;

/** By the path of the data folder: a copy of it is another installation. */
function nameFor(home: string): string {
  return createHash("sha256").update(home).digest("hex").slice(0, 16);
}

async function checkKeeper(path: string, uid: number): Promise<void> {
  const { isSymbolicLink, isDirectory, owner, mode } = await lstat(path).then((entry) => ({
    isSymbolicLink: entry.isSymbolicLink(),
    isDirectory: entry.isDirectory(),
    owner: entry.uid,
    mode: entry.mode,
  }));
  if (isSymbolicLink) throw refusal(path, "is a link that Talaria did not make");
  if (!isDirectory) throw refusal(path, "is no folder");
  if (owner !== uid && owner !== 0) throw refusal(path, `belongs to uid ${owner}`);
  // In a folder with the sticky bit nobody can rename what is another's.
  if ((mode & 0o022) !== 0 && (mode & 0o1000) === 0) throw refusal(path, "can be changed by other accounts");
}

function refusal(path: string, why: string, cause?: unknown): GatewayError {
  const message = `files of conversations can't be kept below ${path}, which ${why}: mend that, or set sandbox.folder`;
  return new GatewayError(message, { code: "unsupported", ...(cause === undefined ? {} : { cause }) });
}

function ownUid(): number {
  return process.getuid?.() ?? -1;
}
