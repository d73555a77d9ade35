import { randomUUID } from "node:crypto";
import { brandAs, isGatewayError, type Log, type ProcessId, systemClock } from "@talaria/protocol";
import { createQueue, type QueueSystem } from "@talaria/queue";
import { asRole, createStore, loadOrCreateKey, type Store } from "@talaria/store";
import { createLogger, createMetrics, type Metrics } from "@talaria/telemetry";
import { databaseUrlOf, queueBackendOf } from "./backends.ts";
import { type LoadedHome, loadHome } from "./load-home.ts";
import { maxConnections } from "./start/connection-need.ts";
import { forgetEnvironment } from "./worker-environment.ts";

/** What every gateway and worker process starts from. */
export interface ProcessContext extends LoadedHome {
  readonly id: ProcessId;
  readonly databaseUrl: string;
  /** The `talaria start` that this process belongs to, if any. */
  readonly supervisor?: string;
  readonly store: Store;
  readonly queue: QueueSystem;
  readonly metrics: Metrics;
  readonly clock: typeof systemClock;
  readonly random: () => number;
  readonly log: Log;
  close(): Promise<void>;
}

/** Reads the configuration and connects. Throws one sentence that names the remedy. */
export async function openProcess(
  role: "gateway" | "worker",
  options: Readonly<Record<string, string | boolean | undefined>>,
): Promise<ProcessContext> {
  const { env } = process;
  const loaded = await loadHome(options, env, role === "worker" ? { part: role } : {});
  const { home, config } = loaded;
  const { url: databaseUrl, isOwn } = await asRole(databaseUrlOf(config, undefined), role);
  if (role === "worker") forgetEnvironment(env, loaded.variables);
  const id = brandAs<ProcessId>(env.TALARIA_PROCESS_ID ?? `${role}-${randomUUID()}`);
  const backend = queueBackendOf(config, databaseUrl);
  const secrets = [...loaded.secrets, databaseUrl, new URL(databaseUrl).password].filter((text) => text !== "");
  const log = createLogger({ level: config.log.level, name: role, secrets: () => secrets });
  if (!isOwn)
    log.warn({ role }, 'runs with the database role of DATABASE_URL: see "Database roles" in docs/operations.md');
  const keys =
    role === "gateway"
      ? { secretKey: await loadOrCreateKey(home.keyFile) }
      : { loginKey: await loadOrCreateKey(home.loginKeyFile) };
  const store = createStore({
    url: databaseUrl,
    log,
    clock: systemClock,
    maxConnections: maxConnections[role],
    ...keys,
  });
  await enter(store);
  await freeFormer(store, env.TALARIA_FORMER_PROCESS_ID);
  const queue = await createQueue({ backend, processId: id, role, log, clock: systemClock, random: Math.random });
  return {
    ...loaded,
    id,
    databaseUrl,
    ...(env.TALARIA_SUPERVISOR === undefined ? {} : { supervisor: env.TALARIA_SUPERVISOR }),
    store,
    queue,
    metrics: createMetrics({ process: role }),
    clock: systemClock,
    random: Math.random,
    log,
    close: async () => {
      await queue.close();
      await store.close();
    },
  };
}

/** A store that is unavailable now may be back soon; one that another release has migrated stays as it is. */
async function enter(store: Store): Promise<void> {
  try {
    await store.enter();
  } catch (error) {
    if (!isGatewayError(error, "unsupported")) return;
    await store.close();
    throw error;
  }
}

/**
 * A process that our supervisor has seen die holds nothing any more. If the store is unavailable, its leases expire by
 * themselves.
 */
async function freeFormer(store: Store, former: string | undefined): Promise<void> {
  if (former !== undefined) await store.processes.retire(brandAs<ProcessId>(former)).catch(() => undefined);
}
