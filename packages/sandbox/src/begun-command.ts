import type { NetworkUse } from "@talaria/agent";
import type { CommandOutput } from "./command-output.ts";
import type { ProgramEnd, RunningProgram } from "./place.ts";

/** A command that has been begun, in a program of its own or in one that others had before. */
export interface BegunCommand {
  /** Its text, for a list. */
  readonly shown: string;
  readonly startedAt: number;
  readonly program: RunningProgram;
  readonly said: CommandOutput;
  /** Its end, when all that it printed has been read. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** What becomes of its connections. */
  readonly network?: () => NetworkUse;
  /** Called at once when it goes on in the background. */
  goesOn?(): void;
}
