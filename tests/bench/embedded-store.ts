import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@talaria/postgres";
import { silentLog, systemClock } from "@talaria/protocol";
import { createStore, migrate, type Store } from "@talaria/store";
import pg from "pg";

/** A store on an embedded server with the settings of an installation, in a folder of its own. */
export interface EmbeddedStore extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  /** A connection beside the store's, to fill tables and to hold locks. Without a time limit. */
  readonly client: pg.Client;
}

export async function startEmbeddedStore(maxConnections: number): Promise<EmbeddedStore> {
  const folder = await mkdtemp(join(tmpdir(), "talaria-bench-"));
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, "postgres"),
    cacheDir: join(folder, "cache"),
    log: () => undefined,
  });
  const { url } = server;
  await migrate(url, silentLog);
  const store = createStore({ url, log: silentLog, clock: systemClock, maxConnections });
  const client = new pg.Client({ connectionString: url, options: "-c search_path=talaria" });
  await client.connect();
  return {
    url,
    store,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await store.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
