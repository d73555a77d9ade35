import type { BackgroundProcess, CommandResult } from "@talaria/agent";
import { type Clock, GatewayError } from "@talaria/protocol";
import { BoundedOutput } from "./bounded-output.ts";
import { floodReason, maxFloodBytes, noteOf } from "./collect.ts";
import { toCommandEnd } from "./command-end.ts";
import type { RunningProgram } from "./place.ts";
import { wholeEnd } from "./whole-end.ts";

const tailChars = 20_000;
/** How long one that ended is still listed. */
const listedMs = 60 * 60_000;
/** Ended ones that are listed at most; the oldest go first. */
const maxListed = 50;

/** The background processes of one workspace. */
export class BackgroundProcesses {
  readonly #clock: Clock;
  readonly #maxRunning: number;
  readonly #all = new Map<string, { readonly process: MutableProcess; endedAt?: number }>();
  #started = 0;
  #starting = 0;

  constructor(clock: Clock, maxRunning: number) {
    this.#clock = clock;
    this.#maxRunning = maxRunning;
  }

  async start(command: string, launch: () => Promise<RunningProgram>): Promise<BackgroundProcess> {
    const running = [...this.#all.values()].filter(({ endedAt }) => endedAt === undefined).length + this.#starting;
    if (running >= this.#maxRunning)
      throw new GatewayError(`${running} background processes run already, the limit; kill one first`, {
        code: "invalid_request",
      });
    this.#starting += 1;
    const program = await launch().finally(() => {
      this.#starting -= 1;
    });
    this.#started += 1;
    const entry: { readonly process: MutableProcess; endedAt?: number } = {
      process: toProcess(`p${this.#started}`, command, this.#clock.now(), program),
    };
    this.#all.set(entry.process.id, entry);
    void entry.process.ended.then(() => {
      entry.endedAt = this.#clock.now();
    });
    return entry.process;
  }

  list(): readonly BackgroundProcess[] {
    const oldest = this.#clock.now() - listedMs;
    const ended = [...this.#all].filter(([, { endedAt }]) => endedAt !== undefined);
    for (const [index, [id, { endedAt }]] of ended.entries())
      if ((endedAt ?? 0) < oldest || index < ended.length - maxListed) this.#all.delete(id);
    return [...this.#all.values()].map(({ process }) => process);
  }
}

type MutableProcess = { -readonly [Key in keyof BackgroundProcess]: BackgroundProcess[Key] };

function toProcess(id: string, command: string, startedAt: number, program: RunningProgram): MutableProcess {
  const kept = new BoundedOutput(tailChars, 0);
  program.output.on("data", (bytes: Buffer) => {
    kept.add(bytes);
    if (kept.bytes > maxFloodBytes) void program.kill(floodReason);
  });
  program.stdin.on("error", () => undefined);
  const process: MutableProcess = {
    id,
    command,
    startedAt,
    output: () => kept.read(),
    write: (text) => write(program, text),
    kill: () => program.kill().then(() => process.ended.then(() => undefined)),
    ended: wholeEnd(program).then((end): CommandResult["end"] => {
      if (end.reason !== undefined) kept.addText(noteOf(end.reason));
      process.end = toCommandEnd(end);
      return process.end;
    }),
  };
  return process;
}

function write(program: RunningProgram, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = (cause?: unknown) =>
      reject(new GatewayError("the process reads no more input", { code: "invalid_request", cause }));
    if (!program.stdin.writable) refuse();
    else program.stdin.write(text, (error) => (error ? refuse(error) : resolve()));
  });
}
