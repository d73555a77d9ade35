import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import type { FromChild, ToChild } from "./messages.ts";

/** Less room for young objects keeps about 18 MB out of the idle tree. */
const nodeFlags = ["--max-semi-space-size=4"];

/** Pause before a crashed child is started again: doubles from the first to the last value. */
const restartMs = { first: 200, last: 10_000 };
/** A child that ran for so long counts as healthy again. */
const healthyMs = 30_000;

export interface ChildOptions {
  readonly name: string;
  /** The program to run. */
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** An open file that takes what the child logs. */
  readonly logFile: number;
  /** Tells the person that the child crashed and is started again. */
  readonly say: (line: string) => void;
}

/** One gateway or worker process, started again whenever it ends by itself. */
export class Child {
  readonly #options: ChildOptions;
  #process: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pauseMs = restartMs.first;
  #stopping = false;
  /** Under which id the last process ran; the next one frees what it held. */
  #lastId: string | undefined;

  constructor(options: ChildOptions) {
    this.#options = options;
  }

  /** Resolves when the child says that it serves; throws its own words when it cannot start at all. */
  start(): Promise<FromChild & { type: "ready" }> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const { file, args, name, logFile } = this.#options;
      const env = { ...this.#options.env, ...this.#identity() };
      const child = fork(file, [...args], { execArgv: nodeFlags, env, stdio: ["ignore", logFile, logFile, "ipc"] });
      this.#process = child;
      let serves = false;
      child.on("message", (message: FromChild) => {
        if (message.type === "failed") return reject(new Error(message.line));
        serves = true;
        resolve(message);
      });
      child.on("error", reject);
      child.once("exit", (code, signal) => {
        if (this.#process === child) this.#process = undefined;
        reject(new Error(`the ${name} ended before it served (${signal ?? `code ${code}`})`));
        if (serves) this.#restart(performance.now() - startedAt, signal ?? `code ${code}`);
      });
    });
  }

  /** Asks the child to finish what runs; resolves when it has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#timer);
    const child = this.#process;
    if (child === undefined) return;
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    if (child.connected) child.send({ type: "stop" } satisfies ToChild);
    await ended;
  }

  kill(): void {
    this.#stopping = true;
    clearTimeout(this.#timer);
    this.#process?.kill("SIGKILL");
  }

  /** We have seen the former process end, so nobody has to wait for its leases to run out. */
  #identity(): NodeJS.ProcessEnv {
    const former = this.#lastId === undefined ? {} : { TALARIA_FORMER_PROCESS_ID: this.#lastId };
    this.#lastId = `${this.#options.args[0]}-${randomUUID()}`;
    return { TALARIA_PROCESS_ID: this.#lastId, ...former };
  }

  #restart(ranMs: number, how: string): void {
    if (this.#stopping) return;
    if (ranMs > healthyMs) this.#pauseMs = restartMs.first;
    this.#options.say(`the ${this.#options.name} ended (${how}); it starts again in ${this.#pauseMs} ms`);
    this.#timer = setTimeout(() => {
      this.start().catch(() => this.#restart(0, "it could not start"));
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, restartMs.last);
  }
}
