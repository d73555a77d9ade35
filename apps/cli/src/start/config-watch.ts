import { fork } from "node:child_process";
import { mainFile } from "./main-file.ts";
import type { Plan } from "./messages.ts";
import { nodeFlags } from "./node-flags.ts";
import { type ConfigState, digestsOf, readConfigState, stampOf } from "./running-config.ts";

/** Pause between two looks at the file. */
const lookMs = 2_000;
/** A change counts once the file has been left alone for this long, so that no half-written file is read. */
const settleMs = 300;

export interface ConfigWatchOptions {
  readonly file: string;
  /** What runs, as a file. */
  readonly runningFile: string;
  /** What runs now. */
  readonly running: ConfigState;
  readonly env: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  /** What is refused now, one line each: nothing once the file is what runs. Resolves when that is kept. */
  readonly refused: (problems: readonly string[]) => Promise<void>;
  /** What is made of it: the secret files that it names, and what is left out. */
  readonly plan: () => Pick<Plan, "secretFiles" | "remarks">;
  /** Applies a valid text. Throws one sentence when that failed and the previous configuration stays in use. */
  readonly apply: (text: string | undefined) => Promise<void>;
}

/**
 * Watches the configuration file of a running installation, and the secret files that it names. What is valid is applied; the problems
 * of what is not are printed, and nothing else changes.
 */
export class ConfigWatch {
  readonly #options: ConfigWatchOptions;
  readonly #ending = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();
  /** Of all files, as they were seen last. */
  #stamps = "";
  #isSettled = true;
  #runningText: string | undefined;
  /** The last file that people were told about is not the one that runs. */
  #isRefused = false;

  constructor(options: ConfigWatchOptions) {
    this.#options = options;
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
    const stamps = await this.#lookAtAll();
    if (stamps !== this.#stamps) {
      this.#stamps = stamps;
      this.#isSettled = false;
    } else if (!this.#isSettled) {
      this.#isSettled = true;
      await this.#changed().catch((error: Error) => this.#refuse(error.message));
    }
  }

  async #lookAtAll(): Promise<string> {
    const files = [this.#options.file, ...Object.keys(this.#options.plan().secretFiles)];
    return (await Promise.all(files.map(stampOf))).join("\n");
  }

  async #changed(): Promise<void> {
    const { file, say, plan } = this.#options;
    const { secretFiles, remarks } = plan();
    const [{ text }, digests] = await Promise.all([readConfigState(file), digestsOf(Object.keys(secretFiles))]);
    if ((await this.#lookAtAll()) !== this.#stamps) return;
    const secrets = Object.keys(secretFiles).filter((path) => digests[path] !== secretFiles[path]);
    if (text === this.#runningText && secrets.length === 0) {
      if (!this.#isRefused) return;
      say("the configuration is again the one that runs");
      return this.#accept();
    }
    if (text === undefined && this.#runningText !== undefined) return this.#refuse(`${file} is gone`);
    if (isBlank(text) && !isBlank(this.#runningText))
      return this.#refuse(`${file} is empty: write it again, or \`talaria restart\` to go on with the defaults`);
    const problems = text === undefined ? "" : await this.#check();
    const isSame = text === this.#runningText;
    // A secret is renewed beside an account that is left out anyway.
    const known = isSame ? new Set(remarks) : new Set();
    const fresh = problems.split("\n").filter((line) => line !== "" && !known.has(`left out: ${line}`));
    if (fresh.length > 0) return this.#refuse(fresh.join("\n"));
    const what = isSame ? `${secrets.join(", ")} ${secrets.length === 1 ? "has" : "have"}` : "the configuration has";
    say(`${what} changed: gateway and workers restart one after another`);
    await this.#apply(text, isSame ? "the new secrets are in use" : "the new configuration is in use");
  }

  async #apply(text: string | undefined, done: string): Promise<void> {
    await this.#options.apply(text);
    this.#runningText = text;
    await this.#accept();
    if (!this.#ending.signal.aborted) this.#options.say(done);
  }

  async #accept(): Promise<void> {
    this.#isRefused = false;
    await this.#options.refused([]);
  }

  async #refuse(problems: string): Promise<void> {
    if (this.#ending.signal.aborted) return;
    this.#isRefused = true;
    await this.#options.refused(problems.split("\n"));
    this.#options.say(`the new configuration is not used, the one before goes on:\n${problems.replace(/^/gm, "  ")}`);
  }

  /** Runs `talaria check` in a process of its own, so that what it loads is gone afterwards. Returns the problems. */
  #check(): Promise<string> {
    return new Promise((resolve, reject) => {
      const { env, runningFile } = this.#options;
      const { signal } = this.#ending;
      const child = fork(mainFile, ["check"], {
        env: { ...env, TALARIA_RUNS_WITH: runningFile },
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

/** Nothing but comments, as a file is that is just being written. */
function isBlank(text: string | undefined): boolean {
  return (text ?? "").split("\n").every((line) => /^\uFEFF?\s*(?:---|\.\.\.|\{\s*\})?\s*(?:#.*)?$/.test(line));
}
