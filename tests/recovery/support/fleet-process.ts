import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { waitFor } from "../../support/wait-for.ts";

const thisRepository = fileURLToPath(new URL("../../../", import.meta.url));

type Message =
  | { readonly type: "ready"; readonly url?: string }
  | { readonly type: "failed"; readonly line: string }
  /** Of no concern here: there is no supervisor. */
  | { readonly type: "pulse" };

/** One `talaria gateway` or `talaria worker`. It ends with the test at the latest. */
export class FleetProcess {
  readonly kind: "gateway" | "worker";
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #frozen = false;
  #url: string | undefined;
  #output = "";

  private constructor(kind: "gateway" | "worker", child: ChildProcess) {
    this.kind = kind;
    this.#child = child;
    this.#ended = once(child, "exit");
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-100_000);
      });
  }

  /** Resolves when it serves; throws its own error message when it cannot. `repository` is the folder of another release. */
  static async start(
    kind: "gateway" | "worker",
    env: NodeJS.ProcessEnv,
    repository: string = thisRepository,
  ): Promise<FleetProcess> {
    const child = fork(join(repository, "apps/cli/src/main.ts"), [kind], {
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const started = new FleetProcess(kind, child);
    let message: Message | undefined;
    child.on("message", (told: Message) => {
      if (told.type !== "pulse") message ??= told;
    });
    try {
      await waitFor(() => message !== undefined || started.hasEnded, `the ${kind} to serve`);
    } catch (error) {
      await started.kill();
      throw error;
    }
    if (message?.type === "ready") {
      started.#url = message.url;
      return started;
    }
    await started.kill();
    throw new Error(message?.type === "failed" ? message.line : `the ${kind} ended:\n${started.output}`);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Where a gateway listens. */
  get url(): string | undefined {
    return this.#url;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The end of what it logged. */
  get output(): string {
    return this.#output;
  }

  /** As a crash: nothing is finished. Resolves when the system has taken the process and its connections away. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  /** As an operator stops it. Resolves when it has ended. */
  async stop(): Promise<void> {
    if (this.hasEnded) return;
    if (this.#frozen) return this.kill();
    this.#child.kill("SIGTERM");
    await this.#ended;
  }

  /** It stands still as in a sleeping machine: its connections stay open, its leases run out. */
  freeze(): void {
    this.#frozen = true;
    this.#child.kill("SIGSTOP");
  }

  thaw(): void {
    this.#frozen = false;
    this.#child.kill("SIGCONT");
  }
}
