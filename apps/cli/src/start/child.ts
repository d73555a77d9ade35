import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { ChildLease } from "./child-lease.ts";
import { Deaths } from "./life.ts";
import type { FromChild, Order, Plan } from "./messages.ts";
import { nodeFlags } from "./node-flags.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { PassingFailure } from "./try-again.ts";

/** Pause before a crashed child is started again: doubles from the first to the last value. */
const restartMs = { first: 200, last: 10_000 };
/** A child that was asked to stop ends by itself after 30 s at the latest, unless it is stuck. */
const longestStopMs = 35_000;
/** A child that has run for this long counts as healthy again. */
const healthyMs = 30_000;

export interface ChildOptions {
  readonly name: string;
  /** The program to run. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** An open file for the child's log. */
  readonly logFile: number;
  /** How long a stop may take before the process is killed. */
  readonly stopMs?: number;
  /** The process that this child replaces: it has ended, and what it held is free. */
  readonly former?: string | undefined;
  /** Told whenever a process serves, with the address it listens on if it does. */
  readonly serves?: ((url: string | undefined) => void) | undefined;
  /** Told what the child says of itself whenever it does. */
  readonly reports?: ((stats: Readonly<Record<string, unknown>>) => void) | undefined;
  /** The child has died by itself, and what it held is free. */
  readonly died?: () => void;
  /** Tells the operator that the child crashed and is being restarted. */
  readonly say: (line: string) => void;
}

type Ready = FromChild & { readonly type: "ready" };

function failureOf({ line, reason }: FromChild & { readonly type: "failed" }): Error {
  return reason === undefined ? new Error(line) : new PassingFailure(line, reason);
}

/** One gateway or worker process, started again whenever it ends by itself. */
export class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  /** The process has loaded its code and waits. */
  #isWaiting = false;
  /** What each process gets in addition to the environment of the options. */
  #env: Readonly<Record<string, string>> = {};
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = restartMs.first;
  #stopping = false;
  readonly #deaths = new Deaths();
  /** The id of the last process; the next one frees what it held. */
  #lastId: string | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
    this.#lastId = options.former;
  }

  /** The id of the last process, for the `former` of a child that replaces this one. */
  get lastId(): string | undefined {
    return this.#lastId;
  }

  /** Starts the process before it is known what it needs: it loads its code and waits for `start`. */
  load(): void {
    this.#fork({ TALARIA_WAITS: "yes" });
    this.#isWaiting = true;
  }

  /** Has the waiting process prepare the installation. Throws an error with the process's own message when that fails. */
  prepare(say: (line: string) => void): Promise<Plan> {
    return new Promise((resolve, reject) => {
      this.#send({ type: "prepare" });
      this.#process?.on("message", (message: FromChild) => {
        if (message.type === "progress") say(message.line);
        else if (message.type === "prepared") resolve(message.plan);
        else if (message.type === "failed") reject(new Error(message.line));
      });
      this.#process?.once("exit", (code, signal) => reject(new Error(this.#endedEarly(signal ?? `code ${code}`))));
    });
  }

  /**
   * Resolves when the child says that it serves. If it can't start at all, throws an error with the child's own message: a
   * `PassingFailure` where another start may succeed.
   */
  start(env: Readonly<Record<string, string>> = this.#env): Promise<Ready> {
    this.#env = env;
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const child = this.#isWaiting && this.#process !== undefined ? this.#process : this.#fork(env);
      if (this.#isWaiting) this.#send({ type: "begin", env });
      this.#isWaiting = false;
      let serves = false;
      child.on("message", (message: FromChild) => {
        if (message.type === "failed") reject(failureOf(message));
        if (message.type !== "ready") return;
        serves = true;
        this.#options.serves?.(message.url);
        resolve(message);
      });
      child.on("error", reject);
      child.once("exit", (code, signal) => {
        reject(new Error(this.#endedEarly(signal ?? `code ${code}`)));
        if (serves) this.#restart(performance.now() - startedAt, signal ?? `code ${code}`);
      });
    });
  }

  /** Asks the child to finish its work, and kills it when that takes too long. Resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child === undefined) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    this.#send({ type: "stop" });
    const { stopMs = longestStopMs, name, say } = this.#options;
    const force = setTimeout(() => {
      say(`the ${name} does not stop; it is killed`);
      child.kill("SIGKILL");
    }, stopMs);
    await ended;
    clearTimeout(force);
  }

  /** Has a worker take over what another one held that has died. */
  sweep(): void {
    if (!this.#isWaiting) this.#send({ type: "sweep" });
  }

  kill(): void {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#process?.kill("SIGKILL");
  }

  #fork(more: NodeJS.ProcessEnv): ChildProcess {
    const { file, args, logFile } = this.#options;
    const env = { ...this.#options.env, ...more, ...this.#identity() };
    const child = fork(file, [...args], { execArgv: nodeFlags, env, stdio: ["ignore", logFile, logFile, "ipc"] });
    const lease = new ChildLease(child, this.#deaths.lifeOf(this.#options.name));
    const silence = new SilenceWatch((silentMs) => {
      this.#options.say(`the ${this.#options.name} has not moved for ${silentMs / 1_000} s; it is killed`);
      child.kill("SIGKILL");
    });
    this.#process = child;
    child.on("message", (message: FromChild) => {
      silence.receive(message);
      lease.receive(message);
      if (message.type === "pulse") this.#options.reports?.(message.stats);
    });
    child.on("error", () => silence.end());
    child.once("exit", () => {
      silence.end();
      if (this.#process === child) this.#process = undefined;
      void lease.end().then(() => {
        if (!this.#stopping) this.#options.died?.();
      });
    });
    return child;
  }

  /** We have seen the former process end, so nobody has to wait until its leases expire. */
  #identity(): NodeJS.ProcessEnv {
    const former = this.#lastId === undefined ? {} : { TALARIA_FORMER_PROCESS_ID: this.#lastId };
    this.#lastId = `${this.#options.args[0]}-${randomUUID()}`;
    return { TALARIA_PROCESS_ID: this.#lastId, TALARIA_LEASE_KEEPER: "supervisor", ...former };
  }

  #restart(ranMs: number, how: string): void {
    if (this.#stopping) return;
    this.#deaths.add(how);
    if (ranMs > healthyMs) this.#pauseMs = restartMs.first;
    this.#options.say(`the ${this.#options.name} ended (${how}); it starts again in ${this.#pauseMs} ms`);
    this.#timer = setTimeout(() => {
      this.start().catch(() => this.#restart(0, "it could not start"));
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, restartMs.last);
  }

  #send(order: Order): void {
    if (this.#process?.connected) this.#process.send(order, () => undefined);
  }

  #endedEarly(how: string): string {
    return `the ${this.#options.name} ended before it served (${how})`;
  }
}
