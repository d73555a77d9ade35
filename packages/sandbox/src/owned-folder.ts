import { chmod, lstat, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { claim, claimPath, isClaimed } from "./claim.ts";

/** A folder for temporary files that belongs to this process. */
export interface OwnedFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/**
 * A new folder in `base`, `prefix` and a random id, that others may pass and not list. Those that killed processes of this account left
 * under the same prefix are removed first.
 */
export async function ownFolder(prefix: string, base: string): Promise<OwnedFolder> {
  await removeLeft(prefix, base);
  const own = await claim(base);
  const path = join(base, `${prefix}${own.id}`);
  await mkdir(path);
  // Whatever the umask of this process is.
  await chmod(path, 0o711);
  return {
    path,
    remove: async () => {
      await removeFolder(path);
      await own.release();
    },
  };
}

async function removeLeft(prefix: string, base: string): Promise<void> {
  const uid = process.getuid?.();
  for (const name of await readdir(base)) {
    const id = name.startsWith(prefix) ? name.slice(prefix.length) : "";
    if (!/^[0-9a-f]{16}$/.test(id)) continue;
    const path = join(base, name);
    const found = await lstat(path).catch(() => undefined);
    if (!found?.isDirectory() || found.uid !== uid || (await isClaimed(claimPath(base, id)))) continue;
    await removeFolder(path);
  }
}

async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}
