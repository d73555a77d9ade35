import type { CommandOptions, CommandResult } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import type { BackgroundProcesses } from "./background.ts";
import type { BegunCommand } from "./begun-command.ts";
import { CommandOutput } from "./command-output.ts";
import type { OutputFiles } from "./output-files.ts";
import type { RunningProgram } from "./place.ts";
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

/** What became of a command: at the end of its time it is killed, or goes on as a process in the background. */
export async function resultOf(
  command: BegunCommand,
  options: CommandOptions,
  { clock, background }: CommandDeps,
): Promise<CommandResult> {
  const { program, said } = command;
  const first = await before(command.ended, options.timeoutMs, clock, options.signal);
  const goesOn = first === "timeout" && options.goesOn === true ? background.adopt(command) : undefined;
  if (goesOn !== undefined) {
    command.goesOn?.();
    said.hush();
    await said.logged();
    return { ...outcome(command, clock), end: { kind: "timeout" }, goesOnAs: goesOn.id };
  }
  const { end, reason } = await endFrom(first, program, clock);
  if (reason !== undefined) said.addText(noteOf(reason));
  if (first === "timeout" && options.goesOn === true) said.addText(noteOf(background.refusal));
  await said.end();
  return { ...outcome(command, clock), end };
}

function outcome({ said, startedAt, network }: BegunCommand, clock: Clock): Omit<CommandResult, "end"> {
  const { text, leftOut } = said.read();
  const { file } = said;
  const known = { ...(file && { outputFile: file }), ...(network && { network: network() }) };
  return { output: text, leftOut, durationMs: clock.elapsed() - startedAt, ...known };
}
