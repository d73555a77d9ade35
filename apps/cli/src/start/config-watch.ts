import { fork } from "node:child_process";
import { mainFile } from "./main-file.ts";
import { nodeFlags } from "./node-flags.ts";
import { type ConfigState, readConfigState, stampOf } from "./running-config.ts";

/** Pause between two looks at the file. */
const lookMs = 2_000;
/** A change counts once the file has been left alone for this long, so that no half-written file is read. */
const settleMs = 300;

export interface ConfigWatchOptions {
  readonly file: string;
  /** What runs now. */
  readonly running: ConfigState;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** Applies a valid text. Throws one sentence when that failed and the previous configuration stays in use. */
  readonly apply: (text: string) => Promise<void>;
}

/**
 * Watches the configuration file of a running installation. A valid new one is applied; the problems of an invalid one are
 * printed, and nothing else changes.
 */
export class ConfigWatch {
  readonly #options: ConfigWatchOptions;
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  #stamp: string;
  #isSettled = true;
  #runningText: string | undefined;
  /** The last file that people were told about is not the one that runs. */
  #isRefused = false;

  constructor(options: ConfigWatchOptions) {
    this.#options = options;
    this.#stamp = options.running.stamp;
    this.#runningText = options.running.text;
  }

  /** From now on changes are applied, including those made since `running` was read. */
  begin(): void {
    this.#schedule();
  }

  /** Resolves when nothing is checked or applied any more. */
  async end(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  #schedule(): void {
    if (this.#ending.signal.aborted) return;
    this.#timer = setTimeout(
      () => {
        this.#looking = this.#look().finally(() => this.#schedule());
      },
      this.#isSettled ? lookMs : settleMs,
    );
  }

  async #look(): Promise<void> {
    const stamp = await stampOf(this.#options.file);
    if (stamp !== this.#stamp) {
      this.#stamp = stamp;
      this.#isSettled = false;
    } else if (!this.#isSettled) {
      this.#isSettled = true;
      await this.#changed().catch((error: Error) => this.#refuse(error.message));
    }
  }

  async #changed(): Promise<void> {
    const { file, say, apply } = this.#options;
    const { stamp, text } = await readConfigState(file);
    if (stamp !== this.#stamp) return;
    if (text === this.#runningText) {
      if (this.#isRefused) say("the configuration is again the one that runs");
      this.#isRefused = false;
      return;
    }
    if (text === undefined) return this.#refuse(`${file} is gone`);
    const problems = await this.#check();
    if (problems !== "") return this.#refuse(problems);
    say("the configuration has changed: gateway and workers restart one after another");
    await apply(text);
    this.#runningText = text;
    this.#isRefused = false;
    if (!this.#ending.signal.aborted) say("the new configuration is in use");
  }

  #refuse(problems: string): void {
    if (this.#ending.signal.aborted) return;
    this.#isRefused = true;
    this.#options.say(`the new configuration is not used, the one before goes on:\n${problems.replace(/^/gm, "  ")}`);
  }

  /** Runs `talaria check` in a process of its own, so that what it loads is gone afterwards. Returns the problems. */
  #check(): Promise<string> {
    return new Promise((resolve, reject) => {
      const { env } = this.#options;
      const { signal } = this.#ending;
      const child = fork(mainFile, ["check"], {
        env,
        signal,
        execArgv: nodeFlags,
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      });
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.setEncoding("utf8").on("data", (text: string) => {
          output += text;
        });
      child.once("error", reject);
      child.once("close", (code) => {
        if (code === 0) resolve("");
        else resolve(output.replace(/^talaria: /gm, "").trim() || `the check ended with code ${code}`);
      });
    });
  }
}
