import type { CommandOptions, CommandResult } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";
import { BoundedOutput } from "./bounded-output.ts";
import { toCommandEnd } from "./command-end.ts";
import type { ProgramEnd, RunningProgram } from "./place.ts";
import { wholeEnd } from "./whole-end.ts";

/** How long a killed program may take to be gone before the caller hears of its end anyway. */
const killPatienceMs = 5_000;

/** Reading costs the worker time that other sessions need; nobody wants to read that much. */
export const maxFloodBytes = 256 * 1024 * 1024;
export const floodReason = `it printed more than ${maxFloodBytes / 1024 / 1024} MB`;

/** What a program says until it ends, its time is over, or the caller gives up. */
export async function collect(program: RunningProgram, options: CommandOptions, clock: Clock): Promise<CommandResult> {
  const startedAt = clock.now();
  const kept = new BoundedOutput(options.maxOutputChars);
  program.output.on("data", (bytes: Buffer) => {
    const text = kept.add(bytes);
    if (kept.bytes > maxFloodBytes) void program.kill(floodReason);
    if (text !== "") options.onOutput?.(text);
  });
  const { end, reason } = await endOf(program, wholeEnd(program), options, clock);
  if (reason !== undefined) kept.addText(noteOf(reason));
  const { text, leftOut } = kept.read();
  return { output: text, leftOut, end, durationMs: clock.now() - startedAt };
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
  const first = await before(ended, timeoutMs, clock, signal);
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
