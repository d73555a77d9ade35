import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { freePort } from "../support/free-port.ts";
import { waitFor } from "../support/wait-for.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const systemPath = "/usr/bin:/bin";
const usualPort = 7420;
/** A first start fetches some hundred megabytes. */
const patienceMs = 300_000;
const run = promisify(execFile);

/** What people have set for their network. Nothing else of this process reaches `npm start`. */
const inherited = /^(https?_proxy|no_proxy|npm_config_registry|node_extra_ca_certs|ssl_cert_file|tmpdir)$/i;

/** Why there is no first run to be had here, or false. */
export function missingForClone(): string | false {
  const needed = ["/usr/bin/node", "/usr/bin/npm", "/usr/bin/git", join(repository, ".git")];
  const missing = needed.filter((path) => !existsSync(path));
  return missing.length > 0 ? `needs ${missing.join(", ")}` : false;
}

/** The repository as somebody has it who has just cloned it, on a machine where nothing of it ever ran. */
export class FreshClone implements AsyncDisposable {
  readonly folder: string;
  readonly #env: NodeJS.ProcessEnv;
  #npm: ChildProcess | undefined;
  #output = "";

  private constructor(folder: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.#env = env;
  }

  static async make(): Promise<FreshClone> {
    const folder = await mkdtemp(join(tmpdir(), "talaria-first-run-"));
    const home = join(folder, "home");
    await mkdir(home);
    await run("git", ["clone", "--quiet", repository, join(folder, "talaria")]);
    const network = Object.entries(process.env).filter(([name]) => inherited.test(name));
    const clone = new FreshClone(folder, { ...Object.fromEntries(network), HOME: home, PATH: systemPath });
    if (await isTaken(usualPort)) await clone.#useAnotherPort(home);
    return clone;
  }

  get output(): string {
    return this.#output;
  }

  /** Types `npm start`. Resolves with the console's address and the time until it was ready. */
  async start(): Promise<{ address: string; tookMs: number }> {
    const began = performance.now();
    this.#output = "";
    const cwd = join(this.folder, "talaria");
    const npm = spawn("npm", ["start"], { cwd, env: this.#env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    this.#npm = npm;
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
      });
    const ready = () => {
      if (npm.exitCode !== null) throw new Error(`npm start ended:\n${this.#output}`);
      return /^Talaria is ready.* (http:\S+) \(token: (\S+)\)$/m.exec(this.#output);
    };
    const found = await waitFor(ready, "Talaria is ready", patienceMs);
    const token = (await readFile(found[2] ?? "", "utf8")).trim();
    return { address: `${found[1]}#token=${token}`, tookMs: performance.now() - began };
  }

  /** Presses Ctrl-C: the terminal tells the whole process group. Resolves when npm has ended. */
  async pressCtrlC(): Promise<void> {
    const npm = this.#npm;
    if (npm?.pid === undefined || npm.exitCode !== null || npm.signalCode !== null) return;
    const exited = once(npm, "exit");
    process.kill(-npm.pid, "SIGINT");
    await exited;
  }

  /** Command lines of the processes that name the folder or got it with their environment. */
  leftovers(): readonly string[] {
    const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
    return ids.flatMap((id) => {
      const command = readProcess(id, "cmdline");
      const isOurs = command.includes(this.folder) || readProcess(id, "environ").includes(this.folder);
      return isOurs && command !== "" ? [command.replaceAll("\0", " ")] : [];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pressCtrlC();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #useAnotherPort(home: string): Promise<void> {
    await mkdir(join(home, ".talaria"));
    await writeFile(join(home, ".talaria", "config.yaml"), `gateway: { port: ${await freePort()} }\n`);
  }
}

/** Empty for a process that has ended or belongs to somebody else. */
function readProcess(id: string, file: "cmdline" | "environ"): string {
  try {
    return readFileSync(`/proc/${id}/${file}`, "utf8");
  } catch {
    return "";
  }
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return false;
  } catch {
    return true;
  } finally {
    server.close();
  }
}
