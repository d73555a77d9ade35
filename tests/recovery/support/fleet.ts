import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@talaria/postgres";
import { silentLog, systemClock } from "@talaria/protocol";
import { type Backlog, createStore, type Store } from "@talaria/store";
import { Client } from "pg";
import { runTalaria } from "../../support/run-talaria.ts";
import { waitFor } from "../../support/wait-for.ts";
import { withRoom } from "../../support/with-room.ts";
import { FleetProcess } from "./fleet-process.ts";

export interface FleetOptions {
  /** YAML without `gateway`. */
  readonly config: string;
  /** A server of one's own; without it a new database on the server that all tests share. */
  readonly databaseUrl?: string;
  /** Where the one gateway listens; without it each takes a free port. */
  readonly port?: number;
  /** Without it wake-ups travel through PostgreSQL. */
  readonly redisUrl?: string | undefined;
}

/** Gateways and workers on one database, each started, stopped and killed by itself. */
export class Fleet implements AsyncDisposable {
  readonly databaseUrl: string;
  /** The same reads that `talaria status` and `talaria trace` make. */
  readonly store: Store;
  readonly home: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #dropDatabase: () => Promise<void>;
  readonly #processes: FleetProcess[] = [];
  readonly #holders = new Map<string, FleetProcess>();

  private constructor(home: string, env: NodeJS.ProcessEnv, databaseUrl: string, dropDatabase: () => Promise<void>) {
    this.home = home;
    this.#env = env;
    this.#dropDatabase = dropDatabase;
    this.databaseUrl = databaseUrl;
    this.store = createStore({ url: databaseUrl, log: silentLog, clock: systemClock, maxConnections: 2 });
  }

  /** A database that is up to date, and no process yet. */
  static async create({ config, databaseUrl, redisUrl, port = 0 }: FleetOptions): Promise<Fleet> {
    const database =
      databaseUrl === undefined ? await createTestDatabase() : { url: databaseUrl, drop: () => Promise.resolve() };
    const home = await mkdtemp(join(tmpdir(), "talaria-fleet-"));
    await writeFile(join(home, "config.yaml"), `gateway: { port: ${port} }\n${withRoom(config)}`);
    const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
    const own = {
      TALARIA_HOME: home,
      DATABASE_URL: database.url,
      LOG_LEVEL: "info",
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(home, "cache"),
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    };
    const fleet = new Fleet(home, { ...inherited, ...own }, database.url, database.drop);
    await fleet.talaria("migrate");
    return fleet;
  }

  /** `repository` is the folder of another release. */
  async start(kind: "gateway" | "worker", env: NodeJS.ProcessEnv = {}, repository?: string): Promise<FleetProcess> {
    const started = await FleetProcess.start(kind, { ...this.#env, ...env }, repository);
    this.#processes.push(started);
    return started;
  }

  /** A further configuration file, for `start(kind, { TALARIA_CONFIG })`. */
  async addConfig(name: string, config: string): Promise<string> {
    const file = join(this.home, name);
    await writeFile(file, `gateway: { port: 0 }\n${withRoom(config)}`);
    return file;
  }

  async talaria(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await runTalaria(args, this.env);
    // Status has printed everything, and a problem with it.
    if (code !== 0 && !(args[0] === "status" && code === 1 && stdout !== ""))
      throw new Error(`talaria ${args.join(" ")} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** The environment of its processes. */
  get env(): Readonly<Record<string, string>> {
    return this.#env as Record<string, string>;
  }

  backlog(): Promise<Backlog> {
    return this.store.operations.backlog();
  }

  /** Whether the id of a preview is stored whose turn runs. */
  async hasPreview(): Promise<boolean> {
    const client = new Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      const { rowCount } = await client.query(
        `select from talaria.preview join talaria.turn using (turn_id)
          where preview.message_id is not null and turn.state = 'running'`,
      );
      return rowCount !== null && rowCount > 0;
    } finally {
      await client.end();
    }
  }

  /** Resolves when nothing waits, runs or is to be delivered: from then on nothing is sent any more. */
  async quiet(timeoutMs?: number): Promise<Backlog> {
    return waitFor(
      async () => {
        const backlog = await this.backlog();
        const { waitingEvents, runningTurns, pendingDeliveries } = backlog;
        return waitingEvents + runningTurns + pendingDeliveries === 0 ? backlog : undefined;
      },
      "everything to be answered and delivered",
      timeoutMs,
    );
  }

  /** The gateway that holds an account, now or soon. Of the gateways that never held one, at most one may live. */
  async holderOf(accountId: string): Promise<FleetProcess> {
    const ask = async () => {
      const accounts = await this.store.operations.accounts();
      return accounts.find((account) => account.accountId === accountId)?.holder;
    };
    const id = await waitFor(ask, `a holder of ${accountId}`);
    const known = this.#holders.get(id);
    if (known !== undefined) return known;
    const strangers = this.#processes.filter(
      (each) => each.kind === "gateway" && !each.hasEnded && ![...this.#holders.values()].includes(each),
    );
    const [stranger, ...others] = strangers;
    if (stranger === undefined || others.length > 0) throw new Error(`which of ${strangers.length} gateways is ${id}?`);
    this.#holders.set(id, stranger);
    return stranger;
  }

  /** What the processes logged last, for failure messages. */
  get output(): string {
    return this.#processes.map(({ kind, pid, output }) => `${kind} ${pid}:\n${output}`).join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
    await this.store.close();
    await this.#dropDatabase();
    await rm(this.home, { recursive: true, force: true, maxRetries: 3 });
  }
}
