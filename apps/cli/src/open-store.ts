import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { createStore, isOutOfConnections, type Store, type StoreOptions } from "@talaria/store";
import { locateHome } from "./home.ts";
import { type LoadedHome, loadHome } from "./load-home.ts";
import { plainLog } from "./plain-log.ts";
import { isHomeServed } from "./start/home-lock.ts";

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
  if (config.database.kind === "postgres")
    return new Error(`${error.message}: check that its server runs, and DATABASE_URL or \`database\``, {
      cause: error,
    });
  if (!(await isHomeServed(home.dir))) return notRunning(home, error);
  return new Error(`${error.message}; Talaria starts it again: try again in a moment, or see ${home.logDir}`, {
    cause: error,
  });
}

export function notRunning({ dir }: Pick<LoadedHome["home"], "dir">, cause?: unknown): Error {
  return new Error(
    `Talaria isn't running on ${dir}: start it with \`npm start\`, or choose another folder with --home`,
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
