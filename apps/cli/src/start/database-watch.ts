import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, isTaken } from "@talaria/postgres/process-info";
import type { Plan } from "./messages.ts";
import { runPreparation } from "./preparation.ts";

const lookMs = 1_000;
/**
 * Every so many looks, the process's state is read from a file as well. It matters only where nothing collects dead
 * processes, as in some containers, and reading it twice a second cost 0.14 % of a core, more than the look itself.
 */
const looksPerRead = 5;
const stopMs = 15_000;

export interface DatabaseWatchOptions {
  readonly plan: Plan;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** The server is back at another address: from now on everything has to use this plan. */
  readonly moved: (plan: Plan) => void;
}

/** Starts the embedded database again when it has died. Does nothing for a server that Talaria did not start. */
export class DatabaseWatch {
  readonly #options: DatabaseWatchOptions;
  #pid: number | undefined;
  #url: string;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #looks = 0;
  #ended = false;

  constructor(options: DatabaseWatchOptions) {
    this.#options = options;
    this.#pid = options.plan.databasePid;
    this.#url = options.plan.databaseUrls.gateway;
    if (this.#pid !== undefined) this.#schedule();
  }

  end(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
  }

  /** Shuts the embedded server down fast, even one that is just starting again; the data is safe in any case. */
  async stopServer(): Promise<void> {
    await this.#looking;
    const pid = this.#pid;
    if (pid === undefined || !(await isRunning(pid))) return;
    process.kill(pid, "SIGINT");
    const until = performance.now() + stopMs;
    while ((await isRunning(pid)) && performance.now() < until) await sleep(20);
  }

  #schedule(): void {
    if (this.#ended) return;
    this.#timer = setTimeout(() => {
      this.#looking = this.#look();
    }, lookMs);
  }

  async #look(): Promise<void> {
    if (this.#pid !== undefined && (await this.#isGone(this.#pid))) await this.#startAgain();
    this.#schedule();
  }

  async #isGone(pid: number): Promise<boolean> {
    this.#looks += 1;
    if (!isTaken(pid)) return true;
    return this.#looks % looksPerRead === 0 && !(await isRunning(pid));
  }

  async #startAgain(): Promise<void> {
    const { env, say, moved } = this.#options;
    say("the database has ended; it starts again");
    try {
      const plan = await runPreparation(env, () => undefined);
      this.#pid = plan.databasePid;
      if (plan.databaseUrls.gateway === this.#url || this.#ended) return;
      this.#url = plan.databaseUrls.gateway;
      moved(plan);
    } catch (error) {
      say(`the database could not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}
