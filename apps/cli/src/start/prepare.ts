import { writeFile } from "node:fs/promises";
import { unpricedModels } from "@talaria/config";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@talaria/postgres";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { createStore, loadOrCreateKey } from "@talaria/store";
import { databaseUrlOf } from "../backends.ts";
import { exposureOf } from "../exposure.ts";
import { gatewayUrl } from "../gateway-url.ts";
import { type LoadedHome, loadHome } from "../load-home.ts";
import { readableProblems } from "../mcp/readable-problems.ts";
import { migrateAll } from "../migrate-all.ts";
import { ownNames } from "../own-names.ts";
import { plainLog } from "../plain-log.ts";
import { runtimeHole } from "../runtime-hole.ts";
import { loadOrCreateToken } from "../token-file.ts";
import { awaitDatabase } from "./await-database.ts";
import { checkConnections } from "./connection-need.ts";
import { type Former, freeFormer } from "./free-former.ts";
import type { FromPreparation, Plan } from "./messages.ts";
import { digestsOf } from "./running-config.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Checks the configuration, starts or adopts the embedded database, brings it up to date, and returns what is to run.
 * Reports its progress with `tell`. Throws one sentence that names the remedy.
 */
export async function prepareInstallation(options: Options, tell: (line: string) => void): Promise<Plan> {
  const loaded = await loadHome(options, process.env);
  const { home, config } = loaded;
  const token = config.auth.token?.reveal() ?? (await loadOrCreateToken(home.tokenFile));
  await Promise.all([home.keyFile, home.loginKeyFile].map(loadOrCreateKey));
  const secretFiles = await digestsOf([...loaded.secretFiles, ...(config.auth.token ? [] : [home.tokenFile])]);
  const database =
    config.database.kind === "embedded" ? await awaitDatabase(() => startDatabase(loaded, tell), tell) : undefined;
  const databaseUrl = databaseUrlOf(config, database?.url);
  tell("bringing the database up to date");
  const ready = async () => {
    const roles = await migrateAll(config, databaseUrl);
    const former = (process.env.TALARIA_FORMER_SUPERVISORS ?? "").split(",").filter((id) => id !== "");
    const soleUser = database === undefined ? undefined : process.env.TALARIA_SUPERVISOR;
    await examine(roles.owner, config.workers.processes, { ids: former, soleUser });
    return roles;
  };
  const {
    isOwn,
    owner: _,
    ...databaseUrls
  } = await awaitDatabase(ready, tell).catch(async (error: unknown) => {
    // Nobody else would stop a server that was started for an installation that does not start.
    if (database?.adopted === false) await database.stop();
    throw error;
  });
  const warning = await exposureOf(home.configFile, loaded.secrets);
  const folders = await readableProblems(config);
  const workerEnv = { ...process.env, DATABASE_URL: databaseUrls.worker };
  const { variables } = await loadHome(options, workerEnv, { part: "worker" });
  return {
    workers: config.workers.processes,
    databaseUrls,
    workerVariables: variables,
    consoleUrl: `${gatewayUrl(config)}/console/`,
    token,
    tokenPlace: config.auth.token === undefined ? home.tokenFile : "auth.token of the configuration",
    secretFiles,
    remarks: [
      ...(warning === undefined ? [] : [warning]),
      ...remarksOn(loaded),
      ...(await ownNames(config.sandbox.network, AbortSignal.timeout(5_000))),
      ...folders,
      ...(isOwn ? [] : [sharedRole]),
    ],
    ...(database === undefined ? {} : { databasePid: database.pid }),
  };
}

const sharedRole =
  'the database role may not create roles, so that workers can read everything the gateway can: see "Database roles" in docs/operations.md';

/** `talaria prepare`: the same in a process of its own, for a supervisor whose gateway and workers run already. */
export async function prepare(options: Options): Promise<void> {
  const plan = await prepareInstallation(options, (line) => tellSupervisor({ type: "progress", line }));
  tellSupervisor({ type: "prepared", plan });
}

/** Checks that the database has room for what is to run, and frees what dead processes hold there. */
async function examine(url: string, workers: number, former: Former): Promise<void> {
  const store = createStore({ url, log: plainLog, clock: systemClock, maxConnections: 1 });
  try {
    checkConnections(workers, await store.processes.mostConnections());
    // When that fails, their leases expire by themselves.
    await freeFormer(store.processes, former).catch(() => undefined);
  } finally {
    await store.close();
  }
}

async function startDatabase({ home }: LoadedHome, tell: (line: string) => void): Promise<EmbeddedPostgres> {
  tell("starting the database");
  try {
    const database = await startEmbeddedPostgres({ dataDir: home.databaseDir, cacheDir: home.cacheDir, log: tell });
    await writeFile(home.databaseUrlFile, `${database.url}\n`, { mode: 0o600 });
    return database;
  } catch (error) {
    if (isGatewayError(error)) throw new Error(error.message, { cause: error });
    throw error;
  }
}

function remarksOn({ config, problems }: LoadedHome): readonly string[] {
  const remarks = problems.map((problem) => `left out: ${problem}`);
  const model = config.models[config.agent.model];
  if (model?.provider === "demo")
    remarks.push(
      "no model is configured: the offline demo model answers. Run `talaria setup model`, which needs no restart; or set OPENAI_API_KEY and start again",
    );
  const hole = runtimeHole();
  return [...remarks, ...unpricedModels(config), ...(hole === undefined ? [] : [hole])];
}

function tellSupervisor(message: FromPreparation): void {
  process.send?.(message);
}
