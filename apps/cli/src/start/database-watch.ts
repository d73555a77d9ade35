import { readFileSync } from "node:fs";
import type { Plan } from "./messages.ts";
import { runPreparation } from "./preparation.ts";

const lookMs = 500;
const stopMs = 15_000;

/** Starts the embedded database again when it has died. Does nothing for a server of one's own. */
export class DatabaseWatch {
  readonly #env: NodeJS.ProcessEnv;
  readonly #say: (line: string) => void;
  #pid: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #ended = false;

  constructor(plan: Plan, env: NodeJS.ProcessEnv, say: (line: string) => void) {
    this.#env = env;
    this.#say = say;
    this.#pid = plan.databasePid;
    if (this.#pid !== undefined) this.#schedule();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  /** Fast shutdown of the embedded server, also of one that is just starting again; the data is safe in any case. */
  async stopServer(): Promise<void> {
    await this.#looking;
    const pid = this.#pid;
    if (pid === undefined || !isAlive(pid)) return;
    process.kill(pid, "SIGINT");
    const until = performance.now() + stopMs;
    while (isAlive(pid) && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  #schedule(): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look();
    }, lookMs);
  }

  async #look(): Promise<void> {
    if (this.#pid !== undefined && !isAlive(this.#pid)) {
      this.#say("the database has ended; it starts again");
      try {
        this.#pid = (await runPreparation(this.#env, () => undefined)).databasePid;
      } catch (error) {
        this.#say(`the database could not start: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
    this.#schedule();
  }
}

/** A process that has ended but that nobody has collected does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
