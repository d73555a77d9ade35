import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const mainFile = fileURLToPath(new URL("../../apps/cli/src/main.ts", import.meta.url));

/** Runs `talaria gateway`, `talaria worker` or `talaria migrate` as one process of a fleet, with nothing else around it. */
export class FleetProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  output = "";

  constructor(command: "gateway" | "worker" | "migrate", env: Readonly<Record<string, string>>) {
    const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
    this.#child = spawn(process.execPath, [mainFile, command], {
      env: { ...inherited, LOG_LEVEL: "warn", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.output = (this.output + text).slice(-100_000);
      });
  }

  /** The exit code, once it has ended. */
  async ended(): Promise<number | null> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, "exit");
    return this.#child.exitCode;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.ended();
  }
}
