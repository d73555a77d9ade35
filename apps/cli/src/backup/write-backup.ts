import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, cp, link, mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { copyDatabase } from "@talaria/store";
import { explainFullDisk, isFullDisk } from "../full-disk.ts";
import type { LoadedHome } from "../load-home.ts";
import { version } from "../version.ts";
import { foldersOf } from "../workplace/folders-of.ts";
import { digestsBelow, type Manifest, manifestName, workspacesName } from "./manifest.ts";
import { packFolder } from "./pack-folder.ts";

/** What is kept of the data folder beside the configuration. */
const kept = ["secrets", "token", "secret.key", "logins.key", "tools", "skills"];

export interface Backup {
  /** Secret files that the configuration names elsewhere. */
  readonly leftOut: readonly string[];
}

/**
 * Writes one file, of mode 600, with the database as it is at one moment, what people can't make again of the data folder, and the
 * workspaces. It is put together beside its place and gets its name when it is whole; an existing file is never replaced. Needs the
 * space twice meanwhile.
 */
export async function writeBackup(
  file: string,
  databaseUrl: string,
  loaded: LoadedHome,
  signal: AbortSignal,
): Promise<Backup> {
  const staging = `${file}.${randomUUID()}.part`;
  const archive = join(staging, "backup.tar");
  const content = join(staging, "content");
  try {
    await mkdir(staging, { mode: 0o700 }).catch(explainFolder(file));
    await mkdir(content, { mode: 0o700 });
    // The keys first: what the database holds was encrypted with them.
    const leftOut = await copyHome(join(content, "home"), loaded);
    const database = await copyRows(join(content, "database"), databaseUrl, signal);
    await packWorkspaces(join(content, workspacesName), loaded, signal);
    const madeAt = new Date().toISOString();
    const manifest: Manifest = { format: 1, version, madeAt, database, files: await digestsBelow(content) };
    await writeFile(join(content, manifestName), JSON.stringify(manifest), { mode: 0o600 });
    const paths = [manifestName, "database", "home", workspacesName];
    await pipeline(packFolder(content, paths), createWriteStream(archive, { mode: 0o600 }), { signal });
    signal.throwIfAborted();
    await keep(archive, file);
    return { leftOut };
  } catch (error) {
    throw explainFullDisk(error, dirname(file));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function explainFolder(file: string) {
  return (error: NodeJS.ErrnoException): never => {
    const folder = dirname(file);
    if (error.code === "ENOENT") throw new Error(`there is no folder ${folder}: make it first, or choose another one`);
    throw error;
  };
}

async function copyHome(target: string, { home, secretFiles }: LoadedHome): Promise<readonly string[]> {
  await mkdir(target, { mode: 0o700 });
  const folder = dirname(home.configFile);
  const options = { recursive: true, dereference: true } as const;
  if (await isThere(home.configFile)) await cp(home.configFile, join(target, "config.yaml"), options);
  for (const name of kept)
    if (await isThere(join(home.dir, name))) await cp(join(home.dir, name), join(target, name), options);
  const beside = join(folder, "secrets");
  if (folder !== home.dir && (await isThere(beside))) await cp(beside, join(target, "secrets"), options);
  return secretFiles.filter((file) => !relative(folder, file).startsWith("secrets/"));
}

async function copyRows(target: string, url: string, signal: AbortSignal) {
  await mkdir(target, { mode: 0o700 });
  return await copyDatabase(
    url,
    (table, rows) =>
      pipeline(rows, createGzip({ level: 1 }), createWriteStream(join(target, `${table}.gz`), { mode: 0o600 }), {
        signal,
      }),
    signal,
  );
}

/** Empty where there are none. */
async function packWorkspaces(file: string, { home, config }: LoadedHome, signal: AbortSignal): Promise<void> {
  const { workspaceFolder } = await foldersOf(home, config.sandbox);
  const cwd = config.sandbox.folder ?? workspaceFolder;
  if (!(await isThere(cwd))) return await writeFile(file, "", { mode: 0o600 });
  await pipeline(packFolder(cwd), createWriteStream(file, { mode: 0o600 }), { signal }).catch((error: unknown) => {
    if (signal.aborted || isFullDisk(error)) throw error;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`the files of conversations in ${cwd} can't be read (${why}): mend that, and try again`, {
      cause: error,
    });
  });
}

async function keep(archive: string, file: string): Promise<void> {
  const handle = await open(archive, "r+");
  await handle.chmod(0o600);
  await handle.sync();
  await handle.close();
  // Unlike a renaming, a link replaces nothing. Some file systems have none.
  await link(archive, file).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST" || (await isThere(file)))
      throw new Error(`${file} exists already: choose another name`);
    await rename(archive, file);
  });
}

function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
