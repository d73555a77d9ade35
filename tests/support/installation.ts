import { type ChildProcess, type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createTestDatabase } from "@talaria/postgres";
import { defaultFolder } from "@talaria/sandbox";
import { freePort } from "./free-port.ts";
import { waitFor } from "./wait-for.ts";
import { withRoom } from "./with-room.ts";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));
const run = promisify(execFile);

export interface InstallationOptions {
  /** YAML without `gateway`; that section is added with a free port. */
  readonly config?: string;
  /** Its own embedded server; or, quicker, a new database on the server that all tests share. Default: `embedded`. */
  readonly database?: "embedded" | "shared";
  readonly env?: Readonly<Record<string, string>>;
  /** An existing data folder; without it a new one is made, and removed by `remove`. */
  readonly home?: string;
  /** Words of a command that `talaria start` is run by, which becomes it: `unshare --mount` and the like. */
  readonly within?: readonly string[];
  /** Script and arguments that start it. Default: the program itself with `start`. */
  readonly starts?: readonly string[];
  /** Where the gateway listens; any free port unless told otherwise. */
  readonly port?: number;
}

export interface RunningProcess {
  readonly id: string;
  readonly kind: "gateway" | "worker";
  readonly pid: number;
}

/** `talaria start` as a real process with its children, and what a test does with it. */
export class Installation {
  readonly home: string;
  readonly url: string;
  token = "";
  readonly #env: NodeJS.ProcessEnv;
  readonly #dropDatabase: () => Promise<void>;
  readonly #within: readonly string[];
  readonly #starts: readonly string[];
  #process: ChildProcess | undefined;
  #output = "";

  private constructor(
    home: string,
    url: string,
    env: NodeJS.ProcessEnv,
    dropDatabase: () => Promise<void>,
    { within = [], starts = [mainFile, "start"] }: Pick<InstallationOptions, "within" | "starts">,
  ) {
    this.home = home;
    this.#within = within;
    this.#starts = starts;
    this.url = url;
    this.#env = env;
    this.#dropDatabase = dropDatabase;
  }

  static async start(options: InstallationOptions = {}): Promise<Installation> {
    const home = options.home ?? (await mkdtemp(join(tmpdir(), "talaria-test-")));
    const port = options.port ?? (await freePort());
    if (options.config !== undefined || options.home === undefined)
      await writeFile(join(home, "config.yaml"), `gateway: { port: ${port} }\n${withRoom(options.config ?? "")}`);
    const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
    const NODE_COMPILE_CACHE = process.env.NODE_COMPILE_CACHE ?? join(home, "cache", "node");
    const own = { NODE_COMPILE_CACHE, TALARIA_HOME: home, LOG_LEVEL: "warn" };
    const database = options.database === "shared" ? await createTestDatabase() : undefined;
    const shared = database && { DATABASE_URL: database.url };
    const env = { ...inherited, ...own, ...shared, ...options.env };
    const dropDatabase = async () => database?.drop();
    const installation = new Installation(home, `http://127.0.0.1:${port}`, env, dropDatabase, options);
    try {
      await installation.begin();
    } catch (error) {
      await dropDatabase();
      if (options.home === undefined) await rm(home, { recursive: true, force: true });
      throw error;
    }
    return installation;
  }

  /** Starts it (again). Resolves when it says that it is ready; throws with its output when it ends before. */
  async begin(): Promise<void> {
    this.#output = "";
    const [program, ...args] = [...this.#within, process.execPath, ...this.#starts];
    const child = spawn(program ?? "", args, { env: this.#env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-200_000);
      });
    const closed = once(child, "close").then(() => true);
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
    const isReady = () => this.#output.includes("Talaria is ready");
    await waitFor(() => isReady() || hasEnded(), "Talaria is ready");
    if (!isReady() && (await closed)) throw new Error(`talaria start ended:\n${this.#output}`);
    // There is no such file where the configuration has a token of its own.
    this.token = (await readFile(join(this.home, "token"), "utf8").catch(() => "")).trim();
  }

  /** What it printed since it was started last. */
  get output(): string {
    return this.#output;
  }

  /** Where its rows are; undefined with an embedded server. */
  get databaseUrl(): string | undefined {
    return this.#env.DATABASE_URL;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** Drains as Ctrl-C would; resolves when everything has ended. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill(signal);
    await exited;
  }

  /** What it said of processes that ended by themselves is shown: it explains failures that are nobody's else. */
  async remove(): Promise<void> {
    for (const line of this.#output.match(/^the \S+ .*(?:ended|has not moved).*$/gm) ?? [])
      console.error(`${this.url}: ${line}`);
    await this.stop();
    await this.#dropDatabase();
    // Of root it is elsewhere.
    await rm(await defaultFolder(this.home, "sandbox"), { recursive: true, force: true });
    await rm(this.home, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.remove();
  }

  /** Runs `talaria ...` on this installation; throws with its output when it fails. */
  async talaria(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(process.execPath, [mainFile, ...args], { env: this.#env }).catch((error) => {
      // It has printed everything, and a problem with it.
      if (args[0] === "status" && error.code === 1 && error.stdout !== "") return error as { stdout: string };
      throw error;
    });
    return stdout;
  }

  /** Begins `talaria ...` on this installation, for a test that talks with it. */
  command(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [mainFile, ...args], { env: this.#env });
  }

  async processes(): Promise<readonly RunningProcess[]> {
    return JSON.parse(await this.talaria("status", "--json")).processes;
  }

  /** The state that an account's adapter reported last. */
  async connectionOf(account: string): Promise<string | undefined> {
    const response = await this.fetch("/api/connections");
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { connections } = (await response.json()) as {
      connections: readonly { accountId: string; status: string }[];
    };
    return connections.find(({ accountId }) => accountId === account)?.status;
  }

  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${this.token}`, ...init.headers };
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  /** Writes in the web chat. */
  async say(conversation: string, text: string, id?: string): Promise<string> {
    const body = JSON.stringify({ text, ...(id === undefined ? {} : { id }) });
    const response = await this.fetch(`/api/conversations/${conversation}/messages`, { method: "POST", body });
    if (response.status !== 202) throw new Error(`status ${response.status}: ${await response.text()}`);
    const { eventId } = (await response.json()) as { eventId: string };
    return eventId;
  }

  /** Presses a button of a line in the web chat. */
  async press(conversation: string, messageId: string, actionId: string): Promise<void> {
    const body = JSON.stringify({ messageId, actionId });
    const response = await this.fetch(`/api/conversations/${conversation}/actions`, { method: "POST", body });
    if (response.status !== 202) throw new Error(`status ${response.status}: ${await response.text()}`);
  }

  async history(conversation: string): Promise<readonly WebLine[]> {
    const response = await this.fetch(`/api/conversations/${conversation}/messages?limit=500`);
    if (!response.ok) throw new Error(`status ${response.status}`);
    const { messages } = (await response.json()) as { messages: readonly WebLine[] };
    return messages;
  }

  /** The first line of the agent that matches. */
  waitForLine(conversation: string, matches: RegExp, timeoutMs = 120_000): Promise<WebLine> {
    return waitFor(
      async () => {
        const lines = await this.history(conversation).catch(() => []);
        return lines.find(({ from, markdown }) => from === "agent" && matches.test(markdown));
      },
      `a line like ${matches}`,
      timeoutMs,
    );
  }
}

export interface WebLine {
  readonly id: string;
  readonly from: "person" | "agent";
  readonly markdown: string;
  readonly turnId?: string;
  readonly choices?: readonly { readonly id: string; readonly label: string }[];
  readonly closed?: { readonly words: string; readonly choices: readonly string[] };
}
