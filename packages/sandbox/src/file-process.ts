import type { Clock } from "@talaria/protocol";
import { serverScript } from "./file-scripts.ts";
import type { Place, ProgramEnd, RunningProgram } from "./place.ts";
import { before } from "./program-end.ts";
import { quote } from "./quote.ts";
import { ShellMarker } from "./shell-marker.ts";

/** One that nobody asks anything is ended: it costs its limits a look four times a second. */
const idleMs = 30_000;
const goAhead = Buffer.from("go\n");

export interface FileAnswer {
  /** What was printed; at most the bytes that were asked for. */
  readonly bytes: Buffer;
  /** More was printed. */
  readonly isCut: boolean;
  /** Undefined: it ended, or had to be ended, before the answer was whole. */
  readonly code?: number;
  /** Why it ended, where the backend knows. */
  readonly reason?: string;
  readonly isLate?: true;
}

export interface FileQuestion {
  /** A function of `serverScript` and its arguments. */
  readonly words: readonly string[];
  readonly maxBytes: number;
  /** What the function reads once it has said `go`. */
  readonly input?: Uint8Array | undefined;
}

/**
 * A process of the session that carries out what its files are asked, one after the other, so that not each look at a file costs the
 * start of a program. It lives behind the boundary as any command does. One that died is begun anew.
 */
export class FileProcess {
  readonly #place: Place;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #program: RunningProgram | undefined;
  #listener: ((bytes: Buffer) => void) | undefined;
  #previous: Promise<unknown> = Promise.resolve();
  #idle = new AbortController();

  constructor(place: Place, clock: Clock, timeoutMs: number) {
    this.#place = place;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  ask(question: FileQuestion): Promise<FileAnswer> {
    const answer = this.#previous.then(() => this.#ask(question));
    this.#previous = answer.catch(() => undefined);
    return answer;
  }

  async #ask(question: FileQuestion): Promise<FileAnswer> {
    this.#idle.abort();
    if (this.#program?.isOutdated?.()) await this.#end(this.#program);
    const known = this.#program;
    const first = await this.#answerOf(known ?? (await this.#begin()), question);
    // One that was killed meanwhile, as for the quota, has to be asked anew: what a function does it may do twice.
    const isLost = known !== undefined && first.code === undefined && first.isLate !== true;
    const answer = isLost ? await this.#answerOf(await this.#begin(), question) : first;
    this.#endWhenIdle();
    return answer;
  }

  async #answerOf(program: RunningProgram, { words, maxBytes, input }: FileQuestion): Promise<FileAnswer> {
    const marker = new ShellMarker();
    const pieces: Buffer[] = [];
    let length = 0;
    let isFed = input === undefined;
    const marked = new Promise<number>((resolve) => {
      this.#listener = (bytes) => {
        const { output, code } = marker.take(bytes);
        length += output.length;
        if (length <= maxBytes) pieces.push(output);
        if (!isFed && Buffer.concat(pieces).indexOf(goAhead) === 0) {
          isFed = true;
          program.stdin.write(input);
        }
        if (code !== undefined) resolve(code);
      };
    });
    program.stdin.write(`${[marker.word, ...words].map(lineWord).join(" ")}\n`);
    const end = await before(Promise.race([marked, program.ended]), this.#timeoutMs, this.#clock);
    this.#listener = undefined;
    const all = Buffer.concat(pieces);
    const bytes = input !== undefined && all.indexOf(goAhead) === 0 ? all.subarray(goAhead.length) : all;
    const answer = { bytes, isCut: length > maxBytes };
    if (typeof end === "number") {
      // What it did not read of the bytes would be its next line.
      const isUnread = input !== undefined && isFed && bytes.indexOf("ok") !== 0;
      if (isUnread) await this.#end(program);
      return { ...answer, code: end };
    }
    await this.#end(program);
    return { ...answer, ...(typeof end === "object" ? reasonOf(end) : { isLate: true as const }) };
  }

  async #begin(): Promise<RunningProgram> {
    const { folder } = this.#place;
    const argv = ["/bin/sh", "-c", serverScript, "sh", folder];
    const program = await this.#place.launch({ argv, folder, variables: { LC_ALL: "C" } });
    program.stdin.on("error", () => undefined);
    program.output.on("data", (bytes: Buffer) => this.#listener?.(bytes));
    this.#program = program;
    void program.ended.then(() => this.#forget(program));
    return program;
  }

  async #end(program: RunningProgram): Promise<void> {
    this.#forget(program);
    await program.kill();
  }

  #forget(program: RunningProgram): void {
    if (this.#program !== program) return;
    this.#program = undefined;
    this.#idle.abort();
  }

  #endWhenIdle(): void {
    const idle = new AbortController();
    this.#idle = idle;
    const program = this.#program;
    if (program === undefined) return;
    this.#clock.sleep(idleMs, idle.signal).then(
      () => this.#end(program),
      () => undefined,
    );
  }
}

/** For `eval`, on one line. */
function lineWord(text: string): string {
  return quote(text).replaceAll("\n", `'"$nl"'`);
}

function reasonOf({ reason }: ProgramEnd): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}
