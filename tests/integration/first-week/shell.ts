import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { waitFor } from "../../support/wait-for.ts";
import type { Diary } from "./diary.ts";

const script = fileURLToPath(new URL("../../../scripts/talaria.mjs", import.meta.url));
const patienceMs = 300_000;

export interface Typed {
  readonly code: number;
  /** What it printed, on both streams, without the last line break. */
  readonly said: string;
}

export interface Question {
  readonly asked: string;
  /** What is typed, or done, then. */
  readonly answer: string | (() => unknown);
}

/** What an operator types on the machine of one data folder. Nothing of this process's own settings reaches the commands. */
export class Shell {
  readonly #env: NodeJS.ProcessEnv;
  readonly #diary: Diary;

  constructor(home: string, diary: Diary) {
    const { DATABASE_URL, REDIS_URL, OPENAI_API_KEY, NODE_TEST_CONTEXT, ...inherited } = process.env;
    this.#env = { ...inherited, TALARIA_HOME: home, TALARIA_CONFIG: "" };
    this.#diary = diary;
  }

  /** Types `talaria ...`, gives it `input`, and waits for its end. */
  async type(words: readonly string[], input = ""): Promise<Typed> {
    return this.note(words, await this.look(words, input));
  }

  /** The same, and writes nothing into the diary. */
  async look(words: readonly string[], input = ""): Promise<Typed> {
    const { child, said, ended } = this.#begin(words);
    child.stdin.end(input);
    return { code: await ended, said: said().trimEnd() };
  }

  /** Types `talaria ...`, and each answer when its question is asked. */
  async answer(words: readonly string[], dialogue: readonly Question[]): Promise<Typed> {
    const { child, said, ended } = this.#begin(words);
    let from = 0;
    for (const { asked, answer } of dialogue) {
      const isAsked = () => said().indexOf(asked, from) + 1 || (child.exitCode === null ? 0 : -1);
      from = await waitFor(isAsked, `the question ${asked}`, patienceMs).catch((error: unknown) => {
        child.kill();
        throw new Error(`talaria ${words.join(" ")} said:\n${said()}`, { cause: error });
      });
      if (typeof answer === "string") child.stdin.write(`${answer}\n`);
      else answer();
    }
    const typed = { code: await ended, said: said().trimEnd() };
    this.note(words, { ...typed, said: typed.said.split("\n").slice(-2).join(" ") });
    return typed;
  }

  note(words: readonly string[], typed: Typed): Typed {
    this.#diary.typed(`talaria ${words.slice(0, 2).join(" ")}`, typed.said);
    return typed;
  }

  #begin(words: readonly string[]) {
    const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [script, ...words], { env: this.#env });
    let text = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
    // It may have ended without reading.
    child.stdin.on("error", () => undefined);
    const ended = once(child, "close").then(([code]) => code as number);
    return { child, said: () => text, ended };
  }
}
