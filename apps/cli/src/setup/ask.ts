import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { SetupQuestion } from "@talaria/adapter";

/**
 * Asks on the terminal, or reads one line per question from what is piped in. Ctrl-C ends the process at once, also while
 * nothing is being asked: a terminal in raw mode sends no signal for it.
 */
export class Interview implements Disposable {
  readonly #input = process.stdin;
  readonly #muted = new Writable({
    write: (chunk, _encoding, done) => {
      if (!this.#hides) process.stdout.write(chunk);
      done();
    },
  });
  readonly #lines = createInterface({ input: this.#input, output: this.#muted, terminal: this.#input.isTTY === true });
  readonly #waiting: string[] = [];
  readonly #wanted: ((line: string | undefined) => void)[] = [];
  #hides = false;
  #ended = false;

  constructor() {
    this.#lines.on("SIGINT", () => {
      this.#lines.close();
      process.stdout.write("\ncancelled: nothing was written\n");
      process.exit(130);
    });
    this.#lines.on("line", (line) => {
      const wanted = this.#wanted.shift();
      if (wanted === undefined) this.#waiting.push(line);
      else wanted(line);
    });
    this.#lines.on("close", () => {
      this.#ended = true;
      for (const wanted of this.#wanted.splice(0)) wanted(undefined);
    });
  }

  /** The answers come from a person at a terminal, who can be asked again. */
  get isInteractive(): boolean {
    return this.#input.isTTY === true && !this.#ended;
  }

  /**
   * Undefined: nothing was typed and nothing has to be. A generated value is shown, because the operator has to enter it
   * elsewhere. Throws when the input ends.
   */
  async answer(question: SetupQuestion): Promise<string | undefined> {
    const { text, preset, secret } = question;
    const shown = typeof preset === "string" && preset !== "" ? ` [${preset}]` : "";
    for (;;) {
      const typed = (await this.ask(`${text}${shown}: `, secret)).trim();
      if (typed !== "") return typed;
      if (typeof preset === "string") return preset || undefined;
      if (preset === undefined) continue;
      const made = preset();
      process.stdout.write(`  made: ${made}\n`);
      return made;
    }
  }

  /** `preset` is the answer when nothing is typed. */
  async confirm(text: string, preset: "yes" | "no"): Promise<boolean> {
    const typed = (await this.ask(`${text} ${preset === "yes" ? "[Y/n]" : "[y/N]"} `)).trim();
    return preset === "yes" ? !/^n/i.test(typed) : /^y/i.test(typed);
  }

  async ask(text: string, hides = false): Promise<string> {
    process.stdout.write(text);
    this.#hides = hides;
    const line = await this.#line();
    this.#hides = false;
    if (hides || this.#input.isTTY !== true) process.stdout.write("\n");
    if (line === undefined) throw new Error("the input ended before every question was answered: nothing was written");
    return line;
  }

  #line(): Promise<string | undefined> {
    const waiting = this.#waiting.shift();
    if (waiting !== undefined || this.#ended) return Promise.resolve(waiting);
    return new Promise((resolve) => this.#wanted.push(resolve));
  }

  [Symbol.dispose](): void {
    this.#lines.close();
  }
}
