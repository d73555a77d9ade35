import { existsSync } from "node:fs";
import { readFile, statfs } from "node:fs/promises";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { createStore, isOutOfConnections, type Store, type StoreOptions } from "@talaria/store";
import { locateHome } from "./home.ts";
import { type LoadedHome, loadHome } from "./load-home.ts";
import { plainLog } from "./plain-log.ts";
import { isHomeServed } from "./start/home-lock.ts";
import { startCommand } from "./start-command.ts";

/** PostgreSQL writes blocks of 8 KiB, and files of some of them. */
const leastBytes = 65_536;

/** Runs one short look at a running installation's database, embedded or not. */
export async function withStore<Result>(
  options: Readonly<Record<string, string | boolean | undefined>>,
  look: (store: Store, loaded: LoadedHome) => Promise<Result>,
  keysOf: (home: LoadedHome["home"]) => Promise<Pick<StoreOptions, "loginKey">> = async () => ({}),
): Promise<Result> {
  const loaded = await loadRunning(options);
  const [url, keys] = await Promise.all([findDatabase(loaded), keysOf(loaded.home)]);
  const store = createStore({ url, log: plainLog, clock: systemClock, maxConnections: 2, ...keys });
  try {
    return await look(store, loaded);
  } catch (error) {
    throw await explain(error, loaded);
  } finally {
    await store.close();
  }
}

/** What it means that the database does not answer depends on how it is run. */
export async function explain(error: unknown, { config, home }: LoadedHome): Promise<unknown> {
  if (!isGatewayError(error, "unavailable") || isOutOfConnections(error)) return error;
  if (await isDiskFull(error, config.database.kind === "embedded" ? home.databaseDir : undefined))
    return new Error(
      `the disk of the database is full: free space on ${config.database.kind === "embedded" ? `the one that holds ${home.databaseDir}` : "its server"}, and it goes on by itself`,
      { cause: error },
    );
  if (config.database.kind === "postgres")
    return new Error(`${error.message}: check that its server runs, and DATABASE_URL or \`database\``, {
      cause: error,
    });
  if (!(await isHomeServed(home.dir))) return notRunning(home, error);
  return new Error(`${error.message}; Talaria starts it again: try again in a moment, or see ${home.logDir}`, {
    cause: error,
  });
}

/** A server that finds no room may also end, or be away for somebody who connects. */
async function isDiskFull(error: Error, folder: string | undefined): Promise<boolean> {
  if (/disk of the database is full/.test(error.message)) return true;
  if (folder === undefined) return false;
  const found = await statfs(folder).catch(() => undefined);
  return found !== undefined && found.bavail * found.bsize < leastBytes;
}

export function notRunning({ dir }: Pick<LoadedHome["home"], "dir">, cause?: unknown): Error {
  return new Error(
    `Talaria isn't running on ${dir}: start it with \`${startCommand(dir)}\`, or choose another folder with --home`,
    {
      cause,
    },
  );
}

/** What runs here is what it was started with, whatever has become of the file since. */
export async function loadRunning(
  options: Readonly<Record<string, string | boolean | undefined>>,
): Promise<LoadedHome> {
  const { env } = process;
  const home = locateHome(options, env);
  const running = { ...env, TALARIA_RUNNING_CONFIG: home.runningConfigFile };
  if ((await fileInUse(home)) === home.runningConfigFile) return await loadHome(options, running);
  try {
    return await loadHome(options, env);
  } catch (error) {
    if (!existsSync(home.runningConfigFile)) throw error;
    return await loadHome(options, running);
  }
}

/** The file that says what runs here or, where nothing runs, what would. */
export async function fileInUse({
  dir,
  configFile,
  runningConfigFile,
}: Pick<LoadedHome["home"], "dir" | "configFile" | "runningConfigFile">): Promise<string> {
  return existsSync(runningConfigFile) && (await isHomeServed(dir)) ? runningConfigFile : configFile;
}

/** The address that `talaria start` left beside the embedded data. */
export async function findDatabase({ config, home }: Pick<LoadedHome, "config" | "home">): Promise<string> {
  if (config.database.kind === "postgres") return config.database.url.reveal();
  try {
    return (await readFile(home.databaseUrlFile, "utf8")).trim();
  } catch (error) {
    throw notRunning(home, error);
  }
}
