import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { SetupQuestion } from "@talaria/adapter";
import type { Choice, ChoiceOption, Interview } from "./interview.ts";
import { pickOption } from "./pick-option.ts";

/** A screen holds so many, with what stands above and below them. */
const pageSize = 20;

/**
 * Asks in plain lines, or reads one line per question from what is piped in. Ctrl-C ends the process at once, also while
 * nothing is being asked: a terminal in raw mode sends no signal for it.
 */
export class LineInterview implements Interview {
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

  get isInteractive(): boolean {
    return this.#input.isTTY === true && !this.#ended;
  }

  /** A generated value is shown, because the operator has to enter it elsewhere. */
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

  async confirm(text: string, preset: "yes" | "no"): Promise<boolean> {
    const typed = (await this.ask(`${text} ${preset === "yes" ? "[Y/n]" : "[y/N]"} `)).trim();
    return preset === "yes" ? !/^n/i.test(typed) : /^y/i.test(typed);
  }

  async choose(choice: Choice): Promise<string> {
    const { options } = choice;
    for (let first = 0; ; ) {
      const isMore = first + pageSize < options.length;
      this.#show(choice, options.slice(first, first + pageSize));
      const answer = await this.#choice(choice, isMore);
      if (answer !== undefined) return answer;
      if (isMore) first += pageSize;
    }
  }

  /** Undefined when nothing was typed that has a meaning. */
  async #choice(choice: Choice, isMore: boolean): Promise<string | undefined> {
    const { text, preset } = choice;
    const shown = preset === undefined ? (isMore ? " (Enter: more)" : "") : ` [${preset}]`;
    for (;;) {
      const typed = (await this.ask(`${text}${shown}: `)).trim();
      if (typed === "" && preset === undefined && !isMore && this.isInteractive) {
        process.stdout.write("Type a number or a name, or end with Ctrl-C.\n");
        continue;
      }
      if (typed === "") return preset;
      const picked = pickOption(choice, typed);
      if (picked.kind === "value") return picked.value;
      if (picked.kind === "several") this.#show(choice, picked.options.slice(0, pageSize));
      else if (this.isInteractive) process.stdout.write(`${picked.hint}\n`);
      else throw new Error(picked.hint);
    }
  }

  /** Each with the number that it has in the whole list. */
  #show({ options, isOpen }: Choice, page: readonly ChoiceOption[]): void {
    const lines = page.map((option) => {
      const hint = option.hint === undefined ? "" : `   ${option.hint}`;
      return `${String(options.indexOf(option) + 1).padStart(4)}  ${option.label ?? option.value}${hint}\n`;
    });
    if (page.length < options.length)
      lines.push(
        `      ... of ${options.length}: type a number or a part of a name${isOpen ? ", or =NAME for one that is not listed" : ""}\n`,
      );
    process.stdout.write(lines.join(""));
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
