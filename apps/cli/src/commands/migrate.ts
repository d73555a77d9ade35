import { migrateQueue } from "@talaria/queue";
import { migrate } from "@talaria/store";
import { queueBackendOf } from "../backends.ts";
import { loadHome } from "../load-home.ts";
import { findDatabase } from "../open-store.ts";
import { plainLog } from "../plain-log.ts";

/** `talaria migrate`: safe with many starters at once; does nothing when everything is up to date. */
export async function migrateDatabase(options: Record<string, string | boolean | undefined>): Promise<void> {
  const loaded = await loadHome(options, process.env);
  const url = await findDatabase(loaded);
  await migrate(url, plainLog);
  await migrateQueue(queueBackendOf(loaded.config, url));
  console.log("the database is up to date");
}
