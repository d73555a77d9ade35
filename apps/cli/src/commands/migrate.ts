import { loadHome } from "../load-home.ts";
import { migrateAll } from "../migrate-all.ts";
import { findDatabase } from "../open-store.ts";

/** `talaria migrate`: safe to run several times at once; does nothing when everything is up to date. */
export async function migrateDatabase(options: Record<string, string | boolean | undefined>): Promise<void> {
  const loaded = await loadHome(options, process.env);
  const url = await findDatabase(loaded);
  const { isOwn } = await migrateAll(loaded.config, url);
  console.log("the database is up to date");
  if (!isOwn) console.log("the database role may not create roles: gateways and workers use it as it is");
}
