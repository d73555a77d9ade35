import { setTimeout as delay } from "node:timers/promises";
import { basicEnvironment, pickEnvironment } from "../worker-environment.ts";
import { Child, type ChildOptions } from "./child.ts";
import { mainFile } from "./main-file.ts";
import type { Plan } from "./messages.ts";
import { tryAgain } from "./try-again.ts";

/** Pause before the previous plan is started once more: doubles from the first to the last value. */
const restoreMs = { first: 500, last: 10_000 };

type Common = Pick<ChildOptions, "env" | "logFile" | "say" | "serves" | "reports">;

/** The gateway and the workers of this machine. */
export class Children {
  readonly #common: Common;
  readonly #closing = new AbortController();
  #children: Child[];
  /** What all of them served together last. */
  #plan: Plan | undefined;
  #isMixed = false;

  /** Starts a gateway and a worker that load their code and wait: `prepare`, then `start`. */
  constructor(common: Common) {
    this.#common = common;
    this.#children = namesOf({ workers: 1 }).map((name) => this.#create(name));
    for (const child of this.#children) child.load();
  }

  /** The gateway prepares the installation while the worker loads its code. Throws one sentence when that fails. */
  async prepare(): Promise<Plan> {
    const [gateway] = this.#children;
    if (gateway === undefined) throw new Error("there is no gateway to prepare with");
    return await gateway.prepare(this.#common.say);
  }

  /** Resolves when all of them serve. Waits up to two minutes for what passes by itself. */
  async start(plan: Plan): Promise<void> {
    this.#plan = plan;
    const say = sayOnce(this.#common.say);
    const names = namesOf(plan);
    const surplus = this.#children.slice(names.length);
    this.#children = names.map((name, index) => this.#children[index] ?? this.#create(name));
    await Promise.all([
      ...this.#children.map((child, index) => this.#begin(child, names[index] ?? "", plan, say)),
      ...surplus.map((child) => child.stop()),
    ]);
  }

  /**
   * Replaces one after another: each finishes its work before its successor starts. Throws the message of a successor that
   * can't start; call `restore` then.
   */
  async replace(plan: Plan): Promise<void> {
    this.#isMixed = true;
    await this.#replaceAll(plan);
    this.#plan = plan;
    this.#isMixed = false;
  }

  /**
   * Replaces all of them according to a new plan, because the old one can't work any more. Keeps trying until they serve.
   */
  async move(plan: Plan): Promise<void> {
    this.#plan = plan;
    this.#isMixed = true;
    await this.restore();
  }

  /** Keeps trying until those of the previous plan serve again. Does nothing when they do. */
  async restore(): Promise<void> {
    const { signal } = this.#closing;
    const plan = this.#plan;
    if (plan === undefined) return;
    for (let pauseMs = restoreMs.first; this.#isMixed && !signal.aborted; pauseMs *= 2) {
      try {
        await this.replace(plan);
      } catch {
        await delay(Math.min(pauseMs, restoreMs.last), undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Asks all of them to finish their work; resolves when they have ended. */
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
      const former = this.#children[index];
      await former?.stop();
      if (this.#closing.signal.aborted) return;
      const child = this.#create(name, former?.lastId);
      this.#children[index] = child;
      await this.#begin(child, name, plan, this.#common.say);
    }
    await Promise.all(surplus.map((child) => child.stop()));
    this.#children.length = names.length;
  }

  async #begin(child: Child, name: string, plan: Plan, say: (line: string) => void): Promise<void> {
    await tryAgain(() => child.start(this.#environmentOf(name, plan)), { say, signal: this.#closing.signal });
  }

  #create(name: string, former?: string): Child {
    const { env, serves, reports, ...common } = this.#common;
    const kind = kindOf(name);
    const own = kind === "worker" ? basicEnvironment(env) : env;
    const child: Child = new Child({
      ...{ ...common, env: own, name, file: mainFile, args: [kind], former },
      ...(kind === "gateway" ? { serves } : { reports }),
      died: () => {
        if (kind === "worker") for (const other of this.#children) if (other !== child) other.sweep();
      },
    });
    return child;
  }

  /** What a child gets in addition, once it is known. */
  #environmentOf(name: string, { databaseUrls, workerVariables }: Plan): Readonly<Record<string, string>> {
    const kind = kindOf(name);
    const named = kind === "worker" ? pickEnvironment(this.#common.env, workerVariables) : {};
    return { ...named, DATABASE_URL: databaseUrls[kind] };
  }
}

/** Of several that wait for the same, one is enough to be told of. */
function sayOnce(say: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return (line) => {
    if (!said.has(line)) say(line);
    said.add(line);
  };
}

function kindOf(name: string): "gateway" | "worker" {
  return name.startsWith("worker") ? "worker" : "gateway";
}

function namesOf({ workers }: Pick<Plan, "workers">): readonly string[] {
  return ["gateway", ...Array.from({ length: workers }, (_, index) => `worker ${index + 1}`)];
}
