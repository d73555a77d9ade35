import { mkdir, readFile, realpath } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { chooseRunAs } from "./account.ts";
import { type Address, addressSettings, chooseAddress, rememberAddress, urlOf } from "./address.ts";
import { findPackage, prepareBinaries } from "./binaries.ts";
import { checkCluster, type DataFolder, dataFolder, prepareCluster } from "./cluster.ts";
import { databaseName, ensureDatabase } from "./database.ts";
import { aborted, explainFileError, type PostgresError } from "./errors.ts";
import { withFolderLock } from "./folder-lock.ts";
import { clearStalePidFile, readPidFile } from "./pid-file.ts";
import { isServerProcess } from "./process-info.ts";
import { isGone, type ServerPlace, spawnServer, stopServer } from "./server.ts";
import { settingsFile } from "./settings.ts";

export interface EmbeddedPostgres {
  /** Reaches the database `talaria`, by a Unix socket or over loopback. Holds the password: never log it. */
  readonly url: string;
  readonly pid: number;
  /** True when the server ran before the call. */
  readonly adopted: boolean;
  /** Fast shutdown; after 10 s an immediate one. May be called by any process, and again. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  /** Holds the data and nothing else. Created with mode 0700 when missing. */
  readonly dataDir: string;
  /** May hold a copy of the programs. Can be deleted while no server runs. */
  readonly cacheDir: string;
  readonly log: (line: string) => void;
  readonly signal?: AbortSignal;
  /** How root runs PostgreSQL, which refuses to run as root. Chosen by what the system allows when missing. */
  readonly asRoot?: "namespace" | "copy";
}

/** What only this package and its tests vary. */
export interface Variation {
  readonly packageFolder?: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly listen?: Address["kind"];
}

const attempts = 50;
const attemptPauseMs = 120;
const stoppingMs = 20_000;
const dyingMs = 2_000;

/**
 * Starts, or adopts, the PostgreSQL whose data lives in `dataDir`. Safe to call when it runs already and from many
 * processes at once: one starts it, the others adopt it. The server keeps running when this process dies.
 * Throws PostgresError with a message that names the remedy.
 */
export function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return startVariation(options, {});
}

export async function startVariation(
  options: EmbeddedPostgresOptions,
  variation: Variation,
): Promise<EmbeddedPostgres> {
  const { signal } = options;
  try {
    signal?.throwIfAborted();
    await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
    const folder = dataFolder(await realpath(options.dataDir));
    return await withFolderLock(folder.lockFile, () => startLocked(folder, options, variation), signal);
  } catch (error) {
    if (signal?.aborted) throw aborted(error);
    throw explainFileError(error, options.dataDir);
  }
}

async function startLocked(
  folder: DataFolder,
  options: EmbeddedPostgresOptions,
  variation: Variation,
): Promise<EmbeddedPostgres> {
  const adopted = await adoptServer(folder, options.signal);
  if (adopted !== undefined) return adopted;

  const packageFolder = variation.packageFolder ?? findPackage();
  const runAs = await chooseRunAs(options.asRoot);
  const forEverybody = runAs.kind === "copy";
  const binaries = await prepareBinaries(packageFolder, { cacheDir: options.cacheDir, forEverybody });
  await prepareCluster(folder, binaries, runAs, options.signal);
  return await open(folder, await startServer({ folder, binaries, runAs }, options, variation), false);
}

/** A server that was killed a moment ago still looks alive: when it can't be talked to and then ends, none ran. */
async function adoptServer(folder: DataFolder, signal: AbortSignal | undefined): Promise<EmbeddedPostgres | undefined> {
  const running = await findServer(folder, signal);
  if (running === undefined) return undefined;
  try {
    return await open(folder, running, true);
  } catch (error) {
    if (await isGone(running.pid, dyingMs)) return undefined;
    throw error;
  }
}

interface RunningServer {
  readonly pid: number;
  readonly address: Address;
}

/** A server that accepts connections, or undefined when none runs. Waits while one starts or stops. */
export async function findServer(
  folder: DataFolder,
  signal: AbortSignal | undefined,
): Promise<RunningServer | undefined> {
  for (;;) {
    const file = await readPidFile(folder.cluster);
    if (file === undefined || !(await isServerProcess(file.pid, folder.cluster))) return undefined;
    if (file.status === "ready") return file;
    if (file.status === "stopping" && (await isGone(file.pid, stoppingMs))) return undefined;
    await sleep(attemptPauseMs, undefined, signal === undefined ? {} : { signal });
  }
}

/** The children of a killed server hold its shared memory for a moment; until they have left, a start is tried again. */
async function startServer(
  place: Omit<ServerPlace, "address" | "settings">,
  options: EmbeddedPostgresOptions,
  variation: Variation,
): Promise<RunningServer> {
  const { folder } = place;
  let { listen } = variation;
  let failure: unknown;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    await clearStalePidFile(folder.cluster);
    const address = await chooseAddress(folder, listen);
    const settings = settingsFile(addressSettings(address), variation.settings);
    const outcome = await spawnServer({ ...place, address, settings }, options.signal);
    if (typeof outcome === "number") {
      await rememberAddress(folder, address);
      return { pid: outcome, address };
    }
    if (outcome.problem === "no_socket" && listen === undefined) {
      listen = "tcp";
      continue;
    }
    if (!isPassing(outcome)) throw outcome;
    if (attempt === 0) options.log("waiting until the processes of the last database server have ended");
    failure = outcome;
    await sleep(attemptPauseMs, undefined, options.signal === undefined ? {} : { signal: options.signal });
  }
  throw failure;
}

function isPassing(failure: PostgresError): boolean {
  if (failure.problem === "port_taken") return true;
  return /pre-existing shared memory block|lock file .* already exists/.test(String(failure.cause));
}

async function open(folder: DataFolder, server: RunningServer, adopted: boolean): Promise<EmbeddedPostgres> {
  await checkCluster(folder);
  const password = await readFile(folder.passwordFile, "utf8");
  const urlFor = (database: string) => urlOf(folder, server.address, password, database);
  await ensureDatabase(urlFor);
  return { url: urlFor(databaseName), pid: server.pid, adopted, stop: () => stopServer(server.pid) };
}
