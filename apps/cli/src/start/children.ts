import { setTimeout as delay } from "node:timers/promises";
import { Child, type ChildOptions } from "./child.ts";
import { mainFile } from "./main-file.ts";
import type { Plan } from "./messages.ts";

/** Pause before what served before is started once more: doubles from the first to the last value. */
const restoreMs = { first: 500, last: 10_000 };

/** The gateway and the workers of this machine. */
export class Children {
  readonly #common: Pick<ChildOptions, "env" | "logFile" | "say">;
  readonly #closing = new AbortController();
  #children: Child[];
  /** What all of them served together last. */
  #plan: Plan;
  #isMixed = false;

  constructor(plan: Plan, { env, logFile, say }: Pick<ChildOptions, "env" | "logFile" | "say">) {
    this.#common = { env, logFile, say };
    this.#plan = plan;
    this.#children = namesOf(plan).map((name) => this.#create(name, plan));
  }

  /** Resolves when all of them serve. */
  async start(): Promise<void> {
    await Promise.all(this.#children.map((child) => child.start()));
  }

  /**
   * Replaces one after another: each finishes what runs before its successor starts. Throws the words of a successor
   * that cannot start; call `restore` then.
   */
  async replace(plan: Plan): Promise<void> {
    this.#isMixed = true;
    await this.#replaceAll(plan);
    this.#plan = plan;
    this.#isMixed = false;
  }

  /** Goes on trying until those of the plan before serve again. Does nothing when they do. */
  async restore(): Promise<void> {
    const { signal } = this.#closing;
    for (let pauseMs = restoreMs.first; this.#isMixed && !signal.aborted; pauseMs *= 2) {
      try {
        await this.replace(this.#plan);
      } catch {
        await delay(Math.min(pauseMs, restoreMs.last), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Asks all of them to finish what runs; resolves when they have ended. */
  async stop(): Promise<void> {
    this.#closing.abort();
    await Promise.all(this.#children.map((child) => child.stop()));
  }

  kill(): void {
    this.#closing.abort();
    for (const child of this.#children) child.kill();
  }

  async #replaceAll(plan: Plan): Promise<void> {
    const names = namesOf(plan);
    const surplus = this.#children.slice(names.length);
    for (const [index, name] of names.entries()) {
      await this.#children[index]?.stop();
      if (this.#closing.signal.aborted) return;
      const child = this.#create(name, plan);
      this.#children[index] = child;
      await child.start();
    }
    await Promise.all(surplus.map((child) => child.stop()));
    this.#children.length = names.length;
  }

  #create(name: string, { databaseUrl }: Plan): Child {
    const env = { ...this.#common.env, DATABASE_URL: databaseUrl };
    const args = [name.startsWith("worker") ? "worker" : "gateway"];
    return new Child({ ...this.#common, env, name, file: mainFile, args });
  }
}

function namesOf({ workers }: Plan): readonly string[] {
  return ["gateway", ...Array.from({ length: workers }, (_, index) => `worker ${index + 1}`)];
}
