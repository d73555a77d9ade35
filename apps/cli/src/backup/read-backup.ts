import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { createGunzip } from "node:zlib";
import { startEmbeddedPostgres } from "@talaria/postgres";
import { prepareDefaultFolder } from "@talaria/sandbox";
import { createRoles, refuseUnknownCopy, restoreDatabase } from "@talaria/store";
import { extract } from "tar";
import { databaseUrlOf } from "../backends.ts";
import { locateHome } from "../home.ts";
import { type LoadedHome, loadHome } from "../load-home.ts";
import { foldersOf } from "../workplace/folders-of.ts";
import { digestsBelow, type Manifest, manifestName, manifestSchema, workspacesName } from "./manifest.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** What a backup may hold. */
const known = /^(?:manifest\.json|workspaces\.tar|database|database\/[a-z_]+\.gz|home(?:\/.*)?)$/;

/**
 * Makes an installation from a backup in a data folder that is empty or does not exist. Every file is compared with its digest before
 * anything is made; what was begun is removed when it fails. A database of one's own, as the backup's configuration or `DATABASE_URL`
 * names it, has to be empty.
 */
export async function readBackup(file: string, options: Options, signal: AbortSignal): Promise<Manifest> {
  const home = locateHome(options, process.env);
  if (home.isConfigNamed)
    throw new Error("a backup brings its own configuration: leave out --config and TALARIA_CONFIG");
  await refuseFull(home.dir, "data folder");
  const staging = `${home.dir}.${randomUUID()}.restoring`;
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const manifest = await unpack(file, staging);
    refuseUnknownCopy(manifest.database);
    signal.throwIfAborted();
    await rmdir(home.dir).catch(() => undefined);
    await rename(join(staging, "home"), home.dir);
    try {
      await build(staging, manifest, await loadHome(options, process.env), signal);
    } catch (error) {
      await rm(home.dir, { recursive: true, force: true });
      throw error;
    }
    return manifest;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Throws unless everything in the file is what was put there. */
async function unpack(file: string, staging: string): Promise<Manifest> {
  const damaged = (why: string, cause?: unknown) =>
    new Error(`${file} is no whole backup (${why}): nothing was restored. Take another copy of it`, { cause });
  await extract({
    file,
    cwd: staging,
    strict: true,
    filter: (path, entry) => {
      const kind = "type" in entry ? entry.type : "";
      if ((kind === "File" || kind === "Directory") && known.test(path.replace(/\/$/, ""))) return true;
      throw new Error(`${path.slice(0, 100)} does not belong there`);
    },
  }).catch((error: Error) => {
    throw damaged(error.message, error);
  });
  const text = await readFile(join(staging, manifestName), "utf8").catch(() => undefined);
  if (text === undefined) throw damaged("it has no list of its files");
  const read = manifestSchema.safeParse(parse(text));
  if (!read.success) throw damaged("its list of files can't be read by this release", read.error);
  const found = await digestsBelow(staging);
  const { files } = read.data;
  const wrong = [...new Set([...Object.keys(files), ...Object.keys(found)])].find(
    (path) => files[path] !== found[path],
  );
  if (wrong !== undefined) throw damaged(`${wrong} is not what was put there`);
  return read.data;
}

async function build(staging: string, { database }: Manifest, loaded: LoadedHome, signal: AbortSignal): Promise<void> {
  const { home, config } = loaded;
  const { workspaceFolder } = await foldersOf(home, config.sandbox, { closes: true });
  const files = config.sandbox.folder ?? workspaceFolder;
  await refuseFull(files, "folder for files of conversations");
  const server =
    config.database.kind === "embedded"
      ? await startEmbeddedPostgres({
          dataDir: home.databaseDir,
          cacheDir: home.cacheDir,
          log: () => undefined,
          signal,
        })
      : undefined;
  try {
    const { owner } = await createRoles(databaseUrlOf(config, server?.url));
    const rowsOf = (table: string) => {
      const rows = createGunzip();
      const source = createReadStream(join(staging, "database", `${table}.gz`));
      source.on("error", (error) => rows.destroy(error));
      return source.pipe(rows);
    };
    await restoreDatabase(owner, database, rowsOf, signal);
  } finally {
    await server?.stop();
  }
  const archive = join(staging, workspacesName);
  if ((await stat(archive)).size === 0) return;
  await prepareDefaultFolder(files);
  await mkdir(files, { recursive: true, mode: 0o700 });
  await extract({ file: archive, cwd: files });
}

async function refuseFull(dir: string, what: string): Promise<void> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  if (names.length > 0)
    throw new Error(`the ${what} ${dir} is not empty: choose another one with --home, or move away what is there`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
