import type { CommandOptions, CommandResult } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import type { BackgroundProcesses } from "./background.ts";
import type { BegunCommand } from "./begun-command.ts";
import { CommandOutput } from "./command-output.ts";
import type { OutputFiles } from "./output-files.ts";
import type { ProgramEnd, RunningProgram } from "./place.ts";
import { before, endFrom, noteOf } from "./program-end.ts";
import { wholeEnd } from "./whole-end.ts";

/** Of one workspace. */
export interface CommandDeps {
  readonly clock: Clock;
  readonly outputs: OutputFiles;
  readonly background: BackgroundProcesses;
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
  const startedAt = deps.clock.elapsed();
  const network = program.network && { network: program.network.use };
  return await resultOf({ shown, startedAt, program, said, ended: wholeEnd(program), ...network }, options, deps);
}

/** What became of a command: at the end of its time it is killed, or goes on as a process in the background, as one that is let go does. */
export async function resultOf(
  command: BegunCommand,
  options: CommandOptions,
  deps: CommandDeps,
): Promise<CommandResult> {
  const { clock, background } = deps;
  const { program, said } = command;
  const begunAt = clock.elapsed();
  const leftMs = () => Math.max(0, options.timeoutMs - (clock.elapsed() - begunAt));
  let first = await firstOf(command, options, clock);
  if (first === "let_go") {
    const process = background.adopt(command, options.goesOn === true ? undefined : leftMs());
    if (process !== undefined) return await goingOn(command, process.id, "let_go", clock);
    first = await before(command.ended, leftMs(), clock, options.signal);
  }
  const process = first === "timeout" && options.goesOn === true ? background.adopt(command) : undefined;
  if (process !== undefined) return await goingOn(command, process.id, "timeout", clock);
  const { end, reason } = await endFrom(first, program, clock);
  if (reason !== undefined) said.addText(noteOf(reason));
  if (first === "timeout" && options.goesOn === true) said.addText(noteOf(background.refusal));
  await said.end();
  return { ...outcome(command, clock), end };
}

async function firstOf(
  { ended }: BegunCommand,
  { timeoutMs, signal, letGo }: CommandOptions,
  clock: Clock,
): Promise<ProgramEnd | "timeout" | "aborted" | "let_go"> {
  if (letGo === undefined) return await before(ended, timeoutMs, clock, signal);
  const leaving = Promise.withResolvers<"let_go">();
  const leave = () => leaving.resolve("let_go");
  letGo.addEventListener("abort", leave, { once: true });
  if (letGo.aborted) leave();
  try {
    return await before(Promise.race([ended, leaving.promise]), timeoutMs, clock, signal);
  } finally {
    letGo.removeEventListener("abort", leave);
  }
}

async function goingOn(
  command: BegunCommand,
  goesOnAs: string,
  kind: "timeout" | "let_go",
  clock: Clock,
): Promise<CommandResult> {
  command.goesOn?.();
  command.said.hush();
  await command.said.logged();
  return { ...outcome(command, clock), end: { kind }, goesOnAs };
}

function outcome({ said, startedAt, network }: BegunCommand, clock: Clock): Omit<CommandResult, "end"> {
  const { text, leftOut } = said.read();
  const { file } = said;
  const known = { ...(file && { outputFile: file }), ...(network && { network: network() }) };
  return { output: text, leftOut, durationMs: clock.elapsed() - startedAt, ...known };
}
