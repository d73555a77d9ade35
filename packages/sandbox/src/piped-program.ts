import { PassThrough, type Readable, type Writable } from "node:stream";
import type { Command } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import { toCommandEnd } from "./command-end.ts";
import type { Place, ProgramEnd } from "./place.ts";
import { before } from "./program-end.ts";
import { toProgram } from "./to-program.ts";

/** A program that an operator has named, such as a server that talks over its pipes. */
export interface PipedCommand extends Omit<Command, "command" | "stdin"> {
  readonly command: readonly [string, ...string[]];
  /** Folders of this machine that it may read beyond what every command may. Absolute. */
  readonly readable?: readonly string[];
}

/** Whoever starts it reads `stdout` and `stderr` to their ends. */
export interface PipedProgram {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Says how it ended: `exit code 1`. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it with everything that it has started. Resolves when it is gone, also when it was gone before. */
  kill(): Promise<void>;
}

/** How long a program has to end by itself once its input has ended. */
const gracePeriodMs = 1_000;

/** Starts it in a place of its own, which is closed with it. */
export async function launchPiped(place: Place, command: PipedCommand, clock: Clock): Promise<PipedProgram> {
  const program = await place.launch({ ...toProgram(command, place), stderr: "apart" });
  // A program that is gone does not read. Its end is reported once, by `ended`.
  program.stdin.on("error", () => undefined);
  const ended = program.ended.then(async (end) => {
    await place.close().catch(() => undefined);
    return endText(end);
  });
  const kill = async () => {
    program.stdin.end();
    if ((await before(program.ended, gracePeriodMs, clock)) === "timeout") await program.kill();
    await ended;
  };
  let killed: Promise<void> | undefined;
  return {
    stdin: program.stdin,
    stdout: program.output,
    stderr: program.errors ?? new PassThrough().end(),
    ended,
    kill: () => {
      killed ??= kill();
      return killed;
    },
  };
}

function endText(end: ProgramEnd): string {
  const { kind, ...how } = toCommandEnd(end);
  const text = "code" in how ? `exit code ${how.code}` : "signal" in how ? `signal ${how.signal}` : kind;
  return end.reason === undefined ? text : `${text}, ${end.reason}`;
}
