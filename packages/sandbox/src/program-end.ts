import type { CommandOptions, CommandResult } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import { toCommandEnd } from "./command-end.ts";
import type { ProgramEnd, RunningProgram } from "./place.ts";

/** How long a killed program may take to be gone before the caller hears of its end anyway. */
const killPatienceMs = 5_000;

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

export async function endFrom(
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
