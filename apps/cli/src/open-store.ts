import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { systemClock } from "@talaria/protocol";
import { createStore, type Store } from "@talaria/store";
import { locateHome } from "./home.ts";
import { type LoadedHome, loadHome } from "./load-home.ts";
import { plainLog } from "./plain-log.ts";

/** Runs one short look at a running installation's database, embedded or not. */
export async function withStore<Result>(
  options: Readonly<Record<string, string | boolean | undefined>>,
  look: (store: Store, loaded: LoadedHome) => Promise<Result>,
): Promise<Result> {
  const loaded = await loadRunning(options);
  const store = createStore({ url: await findDatabase(loaded), log: plainLog, clock: systemClock, maxConnections: 2 });
  try {
    return await look(store, loaded);
  } finally {
    await store.close();
  }
}

/** A file that was broken after it was taken into use keeps nobody from looking at what runs. */
async function loadRunning(options: Readonly<Record<string, string | boolean | undefined>>): Promise<LoadedHome> {
  const { env } = process;
  try {
    return await loadHome(options, env);
  } catch (error) {
    const { runningConfigFile } = locateHome(options, env);
    if (!existsSync(runningConfigFile)) throw error;
    return await loadHome(options, { ...env, TALARIA_RUNNING_CONFIG: runningConfigFile });
  }
}

/** The address that `talaria start` left beside the embedded data. */
export async function findDatabase({ config, home }: LoadedHome): Promise<string> {
  if (config.database.kind === "postgres") return config.database.url.reveal();
  try {
    return (await readFile(home.databaseUrlFile, "utf8")).trim();
  } catch (error) {
    throw new Error(`Talaria has not been started on ${home.dir}: run \`npm start\` first`, { cause: error });
  }
}
