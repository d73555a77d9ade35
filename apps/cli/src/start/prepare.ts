import { writeFile } from "node:fs/promises";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@talaria/postgres";
import { isGatewayError } from "@talaria/protocol";
import { loadOrCreateKey } from "@talaria/store";
import { databaseUrlOf } from "../backends.ts";
import { gatewayUrl } from "../gateway-url.ts";
import { type LoadedHome, loadHome } from "../load-home.ts";
import { migrateAll } from "../migrate-all.ts";
import { loadOrCreateToken } from "../token-file.ts";
import type { FromPreparation, Plan } from "./messages.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * Checks the configuration, starts or adopts the embedded database, brings it up to date, and says what is to run.
 * Tells how far it is. Throws one sentence that names the remedy.
 */
export async function prepareInstallation(options: Options, tell: (line: string) => void): Promise<Plan> {
  const loaded = await loadHome(options, process.env);
  const { home, config } = loaded;
  const token = config.auth.token?.reveal() ?? (await loadOrCreateToken(home.tokenFile));
  await loadOrCreateKey(home.keyFile);
  const database = config.database.kind === "embedded" ? await startDatabase(loaded, tell) : undefined;
  const databaseUrl = databaseUrlOf(config, database?.url);
  tell("bringing the database up to date");
  const { isOwn, ...databaseUrls } = await migrateAll(config, databaseUrl);
  const workerEnv = { ...process.env, DATABASE_URL: databaseUrls.worker };
  const { variables } = await loadHome(options, workerEnv, "worker");
  return {
    workers: config.workers.processes,
    databaseUrls,
    workerVariables: variables,
    consoleUrl: `${gatewayUrl(config)}/console/#token=${token}`,
    remarks: [...remarksOn(loaded), ...(isOwn ? [] : [sharedRole])],
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
      "no model is configured: the offline demo model answers. Set OPENAI_API_KEY, or `models` in config.yaml",
    );
  return remarks;
}

function tellSupervisor(message: FromPreparation): void {
  process.send?.(message);
}
