import type { Children } from "./children.ts";
import { DatabaseWatch } from "./database-watch.ts";
import type { Plan } from "./messages.ts";
import type { PlannedRestart } from "./planned-restart.ts";
import { runPreparation } from "./preparation.ts";
import { setRunningConfig } from "./running-config.ts";

export interface InstallationOptions {
  readonly plan: Plan;
  /** They have prepared the plan, and wait. */
  readonly children: Children;
  /** What the plan was made from; undefined without a configuration file. */
  readonly configText: string | undefined;
  readonly runningConfigFile: string;
  readonly env: NodeJS.ProcessEnv;
  readonly plannedRestart: PlannedRestart;
  readonly say: (line: string) => void;
}

/** What runs on this machine: the embedded database, one gateway and the workers. */
export class Installation {
  readonly #options: InstallationOptions;
  readonly #children: Children;
  #database: DatabaseWatch;
  #plan: Plan;
  #configText: string | undefined;
  #applying: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(options: InstallationOptions) {
    this.#options = options;
    this.#plan = options.plan;
    this.#configText = options.configText;
    this.#children = options.children;
    this.#database = this.#watchDatabase(options.plan);
  }

  /** Resolves when gateway and workers serve. */
  start(): Promise<void> {
    return this.#children.start(this.#plan);
  }

  /** What runs. */
  get plan(): Plan {
    return this.#plan;
  }

  /** Applies a new configuration. Throws one sentence when it can't; then the previous one serves again. */
  apply(text: string | undefined): Promise<void> {
    const applied = this.#apply(text);
    this.#applying = applied.catch(() => undefined);
    return applied;
  }

  /** Finishes all work; resolves when everything has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#database.end();
    await this.#children.stop();
    await this.#applying;
    await this.#database.stopServer();
  }

  kill(): void {
    this.#children.kill();
  }

  async #apply(text: string | undefined): Promise<void> {
    const { runningConfigFile, env, plannedRestart } = this.#options;
    await setRunningConfig(runningConfigFile, text);
    try {
      const plan = await runPreparation(env, () => undefined);
      await plannedRestart.begin();
      await this.#children.replace(plan);
      await this.#adopt(plan);
      this.#configText = text;
    } catch (error) {
      await setRunningConfig(runningConfigFile, this.#configText);
      await this.#children.restore();
      throw error;
    } finally {
      await this.#endRestart();
    }
  }

  /** Watches the database of the new plan, and stops an embedded one that nobody uses any more. */
  async #adopt(plan: Plan): Promise<void> {
    if (this.#isStopping) return;
    const { say } = this.#options;
    this.#database.end();
    if (plan.databasePid === undefined) await this.#database.stopServer();
    this.#database = this.#watchDatabase(plan);
    for (const remark of plan.remarks) say(remark);
    if (plan.consoleUrl !== this.#plan.consoleUrl) say(`the console is at ${plan.consoleUrl} now`);
    this.#plan = plan;
  }

  #watchDatabase(plan: Plan): DatabaseWatch {
    const { env, say } = this.#options;
    return new DatabaseWatch({ plan, env, say, moved: (next) => this.#move(next) });
  }

  /** The address is part of each process's environment, so all of them are replaced. */
  #move(plan: Plan): void {
    this.#applying = this.#applying.then(async () => {
      if (this.#isStopping) return;
      this.#options.say("the database has another address now: gateway and workers restart one after another");
      this.#plan = plan;
      await this.#options.plannedRestart.begin();
      await this.#children.move(plan);
      await this.#endRestart();
    });
  }

  /** One that stops may be on its way to start again. */
  async #endRestart(): Promise<void> {
    if (!this.#isStopping) await this.#options.plannedRestart.end();
  }
}
