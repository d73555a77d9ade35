import type { BackgroundProcess, CommandResult } from "@talaria/agent";
import { type Clock, GatewayError } from "@talaria/protocol";
import type { BegunCommand } from "./begun-command.ts";
import { toCommandEnd } from "./command-end.ts";
import { CommandOutput } from "./command-output.ts";
import type { OutputFiles } from "./output-files.ts";
import type { RunningProgram } from "./place.ts";
import { before, noteOf } from "./program-end.ts";
import { wholeEnd } from "./whole-end.ts";

/** A command that nobody began as a process may be one that never ends. */
const adoptedMs = 60 * 60_000;
const adoptedReason = `its time in the background was up after ${adoptedMs / 60_000} minutes`;
/** How long one that ended is still listed. */
const listedMs = 60 * 60_000;
/** Ended ones that are listed at most; the oldest go first. */
const maxListed = 50;

/** The background processes of one workspace. */
export class BackgroundProcesses {
  readonly #clock: Clock;
  readonly #outputs: OutputFiles;
  readonly #maxRunning: number;
  readonly #all = new Map<string, { readonly process: MutableProcess; endedAt?: number }>();
  #started = 0;
  #starting = 0;

  constructor(clock: Clock, outputs: OutputFiles, maxRunning: number) {
    this.#clock = clock;
    this.#outputs = outputs;
    this.#maxRunning = maxRunning;
  }

  async start(command: string, launch: () => Promise<RunningProgram>): Promise<BackgroundProcess> {
    if (this.#isFull) throw new GatewayError(`${this.refusal}; kill one first`, { code: "invalid_request" });
    this.#starting += 1;
    const program = await launch().finally(() => {
      this.#starting -= 1;
    });
    const said = CommandOutput.ofProcess(this.#outputs);
    program.output.on("data", (bytes: Buffer) => said.add(bytes, program));
    program.stdin.on("error", () => undefined);
    const network = program.network && { network: program.network.use };
    const startedAt = this.#clock.elapsed();
    const begun = { shown: command, startedAt, program, said, ended: wholeEnd(program), ...network };
    return this.#add(begun, (text) => write(program, text));
  }

  /** A command that somebody has waited for goes on as one of them, for `leftMs` or an hour at most. Undefined: there are too many. */
  adopt(command: BegunCommand, leftMs?: number): BackgroundProcess | undefined {
    if (this.#isFull) return undefined;
    if (leftMs === undefined) void endIn(adoptedMs, command, this.#clock, adoptedReason);
    else void endIn(leftMs, command, this.#clock, "its time was up");
    return this.#add(command, async () => {
      throw new GatewayError("the process reads no input: its command began in the terminal", {
        code: "invalid_request",
      });
    });
  }

  /** Why there can't be another one. */
  get refusal(): string {
    return `${this.#maxRunning} background processes run already, the limit`;
  }

  get #isFull(): boolean {
    const running = [...this.#all.values()].filter(({ endedAt }) => endedAt === undefined).length;
    return running + this.#starting >= this.#maxRunning;
  }

  #add(begun: BegunCommand, write: BackgroundProcess["write"]): BackgroundProcess {
    this.#started += 1;
    const process = toProcess(`p${this.#started}`, begun, write);
    const entry: { readonly process: MutableProcess; endedAt?: number } = { process };
    this.#all.set(process.id, entry);
    void process.ended.then(() => {
      entry.endedAt = this.#clock.elapsed();
    });
    return process;
  }

  list(): readonly BackgroundProcess[] {
    const oldest = this.#clock.elapsed() - listedMs;
    const ended = [...this.#all].filter(([, { endedAt }]) => endedAt !== undefined);
    for (const [index, [id, { endedAt }]] of ended.entries())
      if ((endedAt ?? 0) < oldest || index < ended.length - maxListed) this.#all.delete(id);
    return [...this.#all.values()].map(({ process }) => process);
  }
}

async function endIn(ms: number, { program, ended }: BegunCommand, clock: Clock, reason: string): Promise<void> {
  if ((await before(ended, ms, clock)) === "timeout") await program.kill(reason);
}

type MutableProcess = { -readonly [Key in keyof BackgroundProcess]: BackgroundProcess[Key] };

function toProcess(id: string, begun: BegunCommand, write: BackgroundProcess["write"]): MutableProcess {
  const { program, said } = begun;
  const process: MutableProcess = {
    id,
    rename: (name) => {
      process.id = name;
    },
    command: begun.shown,
    startedAt: begun.startedAt,
    output: () => ({ ...said.newest(), ...(said.file && { file: said.file }) }),
    write,
    ...(begun.network && { network: begun.network }),
    kill: (reason) => program.kill(reason).then(() => process.ended.then(() => undefined)),
    ended: begun.ended.then(async (end): Promise<CommandResult["end"]> => {
      if (end.reason !== undefined) said.addText(noteOf(end.reason));
      await said.end();
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
