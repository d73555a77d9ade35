import type { CommandOptions, CommandResult } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import type { BackgroundProcesses } from "./background.ts";
import { toCommandEnd } from "./command-end.ts";
import { CommandOutput } from "./command-output.ts";
import type { OutputFiles } from "./output-files.ts";
import type { ProgramEnd, RunningProgram } from "./place.ts";
import { wholeEnd } from "./whole-end.ts";

/** How long a killed program may take to be gone before the caller hears of its end anyway. */
const killPatienceMs = 5_000;

/** Of one workspace. */
export interface CommandDeps {
  readonly clock: Clock;
  readonly outputs: OutputFiles;
  readonly background: BackgroundProcesses;
}

/** A command that has been begun, in a program of its own or in one that others had before. */
export interface BegunCommand {
  /** Its text, for a list. */
  readonly shown: string;
  readonly startedAt: number;
  readonly program: RunningProgram;
  readonly said: CommandOutput;
  /** Its end, when all that it printed has been read. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Called at once when it goes on in the background. */
  goesOn?(): void;
}

/** What a program says until it ends, its time is over, or the caller gives up. */
export async function collect(
  program: RunningProgram,
  shown: string,
  options: CommandOptions,
  deps: CommandDeps,
): Promise<CommandResult> {
  const said = new CommandOutput(options, deps.outputs);
  program.output.on("data", (bytes: Buffer) => said.add(bytes, program));
  const startedAt = deps.clock.now();
  return await resultOf({ shown, startedAt, program, said, ended: wholeEnd(program) }, options, deps);
}

/** What became of a command: at the end of its time it is killed, or goes on as a process in the background. */
export async function resultOf(
  command: BegunCommand,
  options: CommandOptions,
  { clock, background }: CommandDeps,
): Promise<CommandResult> {
  const { program, said, startedAt } = command;
  const first = await before(command.ended, options.timeoutMs, clock, options.signal);
  const goesOn = first === "timeout" && options.goesOn === true ? background.adopt(command) : undefined;
  if (goesOn !== undefined) {
    command.goesOn?.();
    said.hush();
    await said.logged();
    return { ...outcome(said, startedAt, clock), end: { kind: "timeout" }, goesOnAs: goesOn.id };
  }
  const { end, reason } = await endFrom(first, program, clock);
  if (reason !== undefined) said.addText(noteOf(reason));
  if (first === "timeout" && options.goesOn === true) said.addText(noteOf(background.refusal));
  await said.end();
  return { ...outcome(said, startedAt, clock), end };
}

function outcome(said: CommandOutput, startedAt: number, clock: Clock): Omit<CommandResult, "end"> {
  const { text, leftOut } = said.read();
  const { file } = said;
  return { output: text, leftOut, durationMs: clock.now() - startedAt, ...(file && { outputFile: file }) };
}

/** What the reader of an output is told when the backend ended the program. */
export function noteOf(reason: string): string {
  return `\n[${reason}]\n`;
}

/** The first of: `ended`, the end of the time, the caller's abort. On the last two the program is killed. */
export async function endOf(
  program: RunningProgram,
  ended: Promise<ProgramEnd>,
  { timeoutMs, signal }: Pick<CommandOptions, "timeoutMs" | "signal">,
  clock: Clock,
): Promise<{ readonly end: CommandResult["end"]; readonly reason?: string }> {
  return await endFrom(await before(ended, timeoutMs, clock, signal), program, clock);
}

async function endFrom(
  first: ProgramEnd | "timeout" | "aborted",
  program: RunningProgram,
  clock: Clock,
): Promise<{ readonly end: CommandResult["end"]; readonly reason?: string }> {
  if (typeof first === "object")
    return { end: toCommandEnd(first), ...(first.reason !== undefined && { reason: first.reason }) };
  await before(
    program.kill().then(() => program.ended),
    killPatienceMs,
    clock,
  );
  return { end: { kind: first } };
}

/** The first of: the value, the end of the time, the abort. */
export async function before<Value>(
  value: Promise<Value>,
  ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Value | "timeout" | "aborted"> {
  const over = new AbortController();
  const time = clock.sleep(ms, signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])).then(
    () => "timeout" as const,
    () => "aborted" as const,
  );
  try {
    return await Promise.race([value, time]);
  } finally {
    over.abort();
  }
}
