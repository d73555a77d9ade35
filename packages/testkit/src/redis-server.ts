import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

export interface RedisServer extends AsyncDisposable {
  /** `redis://127.0.0.1:<port>`; stays the same over restarts. */
  readonly url: string;
  readonly port: number;
  /** Process id of the server that runs now, or undefined. */
  pid(): number | undefined;
  /** Ends it in good order and removes its folder. Safe to repeat. */
  stop(): Promise<void>;
  /** Kills it at once, like a crash: what it held in memory is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port, empty unless `persistent`; kills it first when it still runs. */
  restart(): Promise<void>;
}

export interface RedisServerOptions {
  /** Keeps an append-only file, written at every command, so that data survives `kill` and `restart`. */
  readonly persistent?: boolean;
  /** The search path for `redis-server`. */
  readonly path?: string;
}

const startTimeoutMs = 120_000;
// biome-ignore lint/style/noProcessEnv: where programs are is the machine's business, also in tests
const machinePath = process.env.PATH ?? "";

/** Whether `startRedisServer` would find a program to start. */
export async function redisAvailable(path = machinePath): Promise<boolean> {
  return (await findProgram(path)) !== undefined;
}

/** Starts a real Redis on a free loopback port in a folder of its own, with `noeviction` as queues need it. */
export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const program = await findProgram(options.path ?? machinePath);
  if (program === undefined) throw new Error("redis-server was not found in PATH; install Redis to run this test");
  const folder = await mkdtemp(join(tmpdir(), "testkit-redis-"));
  const port = await freePort();
  const start = () => launch(program, port, folder, options.persistent ?? false);
  let child: ChildProcess | undefined = await start();

  async function end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    const ending = child;
    child = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    await new Promise((resolve) => {
      ending.once("exit", resolve);
      ending.kill(signal);
    });
  }

  async function stop(): Promise<void> {
    await end("SIGTERM");
    await rm(folder, { recursive: true, force: true });
  }

  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: () => child?.pid,
    kill: () => end("SIGKILL"),
    async restart() {
      await end("SIGKILL");
      child = await start();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function findProgram(path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter).filter(Boolean)) {
    const program = join(folder, "redis-server");
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}

/** Resolves when the server answers; rejects with its last output if it ends first. */
async function launch(program: string, port: number, folder: string, persistent: boolean): Promise<ChildProcess> {
  const durability = persistent ? ["--appendonly", "yes", "--appendfsync", "always"] : ["--appendonly", "no"];
  const network = ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder];
  const child = spawn(program, [...network, "--save", "", "--maxmemory-policy", "noeviction", ...durability], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let lastWords = "";
  const remember = (data: Buffer) => {
    lastWords = (lastWords + data.toString("utf8")).slice(-2_000);
  };
  child.stdout.on("data", remember);
  child.stderr.on("data", remember);
  const failed = new Promise<never>((_, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`redis-server ended with code ${code}:\n${lastWords}`)));
  });
  const giveUp = new AbortController();
  const timer = setTimeout(() => giveUp.abort(), startTimeoutMs);
  try {
    await Promise.race([failed, untilItAnswers(port, giveUp.signal)]);
    failed.catch(() => {});
    return child;
  } catch (error) {
    child.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
    giveUp.abort();
  }
}

async function untilItAnswers(port: number, signal: AbortSignal): Promise<void> {
  while (!(await ping(port))) {
    if (signal.aborted) throw new Error(`redis-server did not answer within ${startTimeoutMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function ping(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => socket.write("PING\r\n"));
    const finish = (answered: boolean) => {
      socket.destroy();
      resolve(answered);
    };
    socket.once("data", (data) => finish(data.toString("latin1").startsWith("+PONG")));
    socket.once("error", () => finish(false));
    socket.once("close", () => finish(false));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
