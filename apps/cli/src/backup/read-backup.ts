import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, readdir, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { createGunzip } from "node:zlib";
import { ConfigError, checkConfig, defaultConfig, readConfigFile, secretFileReader } from "@talaria/config";
import { startEmbeddedPostgres } from "@talaria/postgres";
import { serverProcesses } from "@talaria/postgres/process-info";
import { prepareDefaultFolder } from "@talaria/sandbox";
import { createRoles, refuseUnknownCopy, restoreDatabase } from "@talaria/store";
import type { ReadEntry } from "tar";
import { databaseUrlOf } from "../backends.ts";
import { explainFullDisk, isFullDisk } from "../full-disk.ts";
import { type Home, locateHome } from "../home.ts";
import type { LoadedHome } from "../load-home.ts";
import { lockHome } from "../start/home-lock.ts";
import { version } from "../version.ts";
import { foldersOf } from "../workplace/folders-of.ts";
import { isNewer } from "./is-newer.ts";
import { digestsBelow, type Manifest, manifestName, manifestSchema, workspacesName } from "./manifest.ts";
import { finishReplacement, isFull, isLeftover, isReplacing, type Replacement, replaceAll } from "./replacement.ts";
import { unpackArchive } from "./unpack-archive.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/** What a backup may hold. */
const known = /^(?:manifest\.json|workspaces\.tar|database|database\/[a-z_]+\.gz|home(?:\/.*)?)$/;

/** What is shown of the words of a database. */
const mostReasonChars = 500;

export interface Restored extends Pick<Manifest, "madeAt" | "version"> {
  /** Where folders are now that were replaced. */
  readonly aside: readonly string[];
}

/**
 * Makes an installation from a backup in a data folder that is empty or does not exist or, with `force`, in place of the one that is there, which moves aside.
 * Every file is compared with its digest before anything is made; all of it is made beside its place, and takes it when it is whole: until then
 * whoever interrupts or kills this leaves what was there. A database of one's own, as the backup's configuration or `DATABASE_URL` names it, has to be empty. `tell` is told
 * what is replaced, before it is.
 */
export async function readBackup(
  file: string,
  options: Options,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<Restored> {
  const home = locateHome(options, process.env);
  if (home.isConfigNamed)
    throw new Error("a backup brings its own configuration: leave out --config and TALARIA_CONFIG");
  if ((await finishReplacement(home.dir)) !== undefined)
    tell(`finished an earlier restore to ${home.dir} that was interrupted`);
  const replaces = await isFull(home.dir);
  if (replaces && options.force !== true) throw new Error(fullText("data folder", home.dir));
  if (replaces) await refuseForeign(home);
  const lock = replaces ? await lockHome(home.dir) : undefined;
  if (replaces && (await removeLeftovers(home.dir)))
    tell(`an earlier restore to ${home.dir} was interrupted before it replaced anything: what it had made is removed`);
  const id = randomUUID();
  const staging = `${home.dir}.${id}.restoring`;
  const made = { place: home.dir, next: `${home.dir}.${id}.restored`, aside: `${home.dir}.replaced-${timeName()}` };
  const all = [made];
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const { database, madeAt, version: release } = await unpack(file, staging);
    refuseUnknownCopy(database);
    signal.throwIfAborted();
    if (replaces)
      tell(
        `${home.dir} is replaced by what release ${release} wrote at ${madeAt.slice(0, 16)}Z; what is there, last started ${await lastStart(home)}, is kept`,
      );
    await rename(join(staging, "home"), made.next);
    const place = { home, next: locateHome({ home: made.next }, {}), staging };
    const config = await configIn(place);
    await fillDatabase(place, config, database, signal);
    all.push(...(await placeFiles(place, config, options.force === true, id)));
    signal.throwIfAborted();
    if (replaces) await stopServerOf(home);
    await replaceAll(home.dir, all);
    return { madeAt, version: release, aside: await asideOf(all) };
  } finally {
    await rm(staging, { recursive: true, force: true });
    if (!(await isReplacing(home.dir))) for (const { next } of all) await rm(next, { recursive: true, force: true });
    lock?.close();
  }
}

interface Place {
  readonly home: Home;
  /** The same beside its place, until it is whole. */
  readonly next: Home;
  readonly staging: string;
}

/** As it will be read at its place: a secret file may be named by its path there. */
async function configIn({ home, next }: Place): Promise<LoadedHome["config"]> {
  const text = await readConfigFile(next.configFile);
  if (text === undefined) return defaultConfig(process.env).config;
  const read = secretFileReader(next.configFile);
  const readSecret = (path: string) =>
    read(path.startsWith(`${home.dir}/`) ? next.dir + path.slice(home.dir.length) : path);
  const { problems, loaded } = checkConfig(text, { file: home.configFile, env: process.env, readSecret });
  if (loaded === undefined) throw new ConfigError(problems);
  return loaded.config;
}

async function fillDatabase(
  { next, staging }: Place,
  config: LoadedHome["config"],
  database: Manifest["database"],
  signal: AbortSignal,
): Promise<void> {
  const { databaseDir: dataDir, cacheDir } = next;
  const server =
    config.database.kind === "embedded"
      ? await startEmbeddedPostgres({ dataDir, cacheDir, log: () => undefined, signal })
      : undefined;
  try {
    const { owner } = await createRoles(databaseUrlOf(config, server?.url));
    const rowsOf = (table: string) => {
      const rows = createGunzip();
      const source = createReadStream(join(staging, "database", `${table}.gz`));
      source.on("error", (error) => rows.destroy(error));
      return source.pipe(rows);
    };
    await restoreDatabase(owner, database, rowsOf, signal).catch(clip);
  } finally {
    await server?.stop();
  }
}

/** A server repeats the row that it refuses. */
function clip(error: unknown): never {
  if (!(error instanceof Error) || error.message.length <= mostReasonChars) throw error;
  throw new Error(`${error.message.slice(0, mostReasonChars)}…`);
}

/** What takes its place together with the data folder, where files of conversations lie elsewhere and there are some already. */
async function placeFiles(
  { home, next, staging }: Place,
  { sandbox }: LoadedHome["config"],
  force: boolean,
  id: string,
): Promise<readonly Replacement[]> {
  const dir = join(await realpath(dirname(home.dir)), basename(home.dir));
  const { workspaceFolder } = await foldersOf({ ...home, dir }, sandbox, { closes: true });
  const files = sandbox.folder ?? workspaceFolder;
  const archive = join(staging, workspacesName);
  const isEmpty = (await stat(archive)).size === 0;
  if (files.startsWith(`${dir}/`)) {
    if (!isEmpty) await extractInto(archive, join(next.dir, files.slice(dir.length)));
    return [];
  }
  const replaces = await isFull(files);
  if (replaces && !force) throw new Error(fullText("folder for files of conversations", files));
  if (isEmpty && !replaces) return [];
  await prepareDefaultFolder(files);
  if (!replaces) {
    await extractInto(archive, files);
    return [];
  }
  const made = { place: files, next: `${files}.${id}.restored`, aside: `${files}.replaced-${timeName()}` };
  try {
    await mkdir(made.next);
    await chmod(made.next, (await stat(files)).mode & 0o7777);
    if (!isEmpty) await unpackArchive(archive, made.next, { strict: false });
  } catch (error) {
    await rm(made.next, { recursive: true, force: true });
    throw error;
  }
  return [made];
}

async function extractInto(file: string, cwd: string): Promise<void> {
  await mkdir(cwd, { recursive: true, mode: 0o700 });
  await unpackArchive(file, cwd, { strict: false });
}

/** A server that outlived its `talaria start` would go on in the folder that moves aside. One that can't be started has not. */
async function stopServerOf({ databaseDir, cacheDir }: Home): Promise<void> {
  const cluster = await realpath(join(databaseDir, "cluster")).catch(() => undefined);
  if (cluster === undefined || (await serverProcesses(cluster)).length === 0) return;
  const server = await startEmbeddedPostgres({ dataDir: databaseDir, cacheDir, log: () => undefined });
  await server.stop();
}

/** What a restore to this folder has left that was killed. Whoever holds the folder knows that none runs. */
async function removeLeftovers(dir: string): Promise<boolean> {
  const names = (await readdir(dirname(dir))).filter((name) => isLeftover(name, basename(dir)));
  for (const name of names) {
    const path = join(dirname(dir), name);
    await stopServerOf(locateHome({ home: path }, {}));
    await rm(path, { recursive: true, force: true });
  }
  return names.length > 0;
}

/** A folder of something else is replaced by nobody's wish. */
async function refuseForeign({ dir, configFile, databaseDir, keyFile }: Home): Promise<void> {
  const signs = await Promise.all([configFile, databaseDir, keyFile].map((path) => stat(path).catch(() => undefined)));
  if (signs.every((one) => one === undefined))
    throw new Error(`${dir} holds no installation, and is not replaced: choose another folder with --home`);
}

async function lastStart({ supervisorFile }: Home): Promise<string> {
  const found = await stat(supervisorFile).catch(() => undefined);
  return found === undefined ? "at a time that nobody knows" : `${found.mtime.toISOString().slice(0, 16)}Z`;
}

async function asideOf(all: readonly Replacement[]): Promise<readonly string[]> {
  const found = await Promise.all(
    all.map(({ aside }) =>
      stat(aside).then(
        () => [aside],
        () => [],
      ),
    ),
  );
  return found.flat();
}

/** `2026-11-27T053012`: a name that every file system takes. */
function timeName(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(":", "");
}

/** Throws unless everything in the file is what was put there. */
async function unpack(file: string, staging: string): Promise<Manifest> {
  const damaged = (why: string, cause?: unknown) =>
    new Error(`${file} is no whole backup (${why}): nothing was restored. Take another copy of it`, { cause });
  await unpackArchive(file, staging, { strict: true, belongs }).catch((error: Error) => {
    throw isFullDisk(error.cause) ? explainFullDisk(error.cause, dirname(staging)) : damaged(error.message, error);
  });
  const text = await readFile(join(staging, manifestName), "utf8").catch(() => undefined);
  if (text === undefined) throw damaged("it has no list of its files");
  const read = manifestSchema.safeParse(parse(text));
  if (!read.success) throw damaged("its list of files can't be read by this release", read.error);
  const found = await digestsBelow(staging);
  if (isNewer(read.data.version, version))
    throw new Error(
      `${file} comes from release ${read.data.version}, and this is ${version}: nothing was restored. Restore it with that release or a later one`,
    );
  const { files } = read.data;
  const wrong = [...new Set([...Object.keys(files), ...Object.keys(found)])].find(
    (path) => files[path] !== found[path],
  );
  if (wrong !== undefined) throw damaged(`${wrong} is not what was put there`);
  return read.data;
}

function belongs({ type, path }: ReadEntry): boolean {
  return (type === "File" || type === "Directory") && known.test(path.replace(/\/$/, ""));
}

function fullText(what: string, dir: string): string {
  return `the ${what} ${dir} is not empty: choose another one with --home, move away what is there, or keep it aside with --force`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
