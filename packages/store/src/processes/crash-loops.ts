import { z } from "zod";
import type { ProcessRow } from "../ports/operations.ts";

/** So many deaths, within the ten minutes before a start, are a loop. */
const manyCrashes = 3;
/** Whoever has lived so long has left it. */
const steadyMs = 600_000;

/** What a supervisor says of a process, beside what that says itself. */
const lifeSchema = z.object({
  name: z.string().max(40),
  crashes: z.int().nonnegative(),
  since: z.iso.datetime().optional(),
  at: z.iso.datetime().optional(),
  how: z.string().max(100).optional(),
});

interface CrashLoop {
  /** The same for all that come after each other. */
  readonly key: string;
  readonly kind: ProcessRow["kind"];
  readonly host: string;
  /** `worker 1`. */
  readonly name: string;
  readonly crashes: number;
  /** When the first and the last of them ended. */
  readonly since: string;
  readonly at: string;
  /** `SIGKILL`, `code 1`. */
  readonly how: string;
}

/** Processes that were started again after they had ended by themselves again and again, and may do so once more. */
export function crashLoopsOf(living: readonly ProcessRow[], now: number): readonly CrashLoop[] {
  return living.flatMap(({ kind, host, startedAt, stats }) => {
    const { data } = lifeSchema.safeParse(stats.life);
    if (data === undefined || data.crashes < manyCrashes || isSteady(startedAt, now)) return [];
    const { name, crashes, how = "" } = data;
    const { since = startedAt, at = startedAt } = data;
    return [{ key: keyOf(host, name), kind, host, name, crashes, since, at, how }];
  });
}

/** Keys of processes that have lived for long. */
export function steadyKeysOf(living: readonly ProcessRow[], now: number): readonly string[] {
  return living.flatMap(({ host, startedAt, stats }) => {
    const { data } = lifeSchema.safeParse(stats.life);
    return data !== undefined && isSteady(startedAt, now) ? [keyOf(host, data.name)] : [];
  });
}

function isSteady(startedAt: string, now: number): boolean {
  return now - Date.parse(startedAt) >= steadyMs;
}

function keyOf(host: string, name: string): string {
  return `crashes:${host}/${name}`;
}
