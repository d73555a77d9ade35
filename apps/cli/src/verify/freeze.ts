import { hostname } from "node:os";
import { isRunning } from "@talaria/postgres/process-info";
import type { ProcessRow } from "@talaria/store";
import type { DoseDeps } from "./dose-deps.ts";
import { whileAway } from "./while-away.ts";

/** They stand still for a while, as in a machine that sleeps, and go on. */
export async function freeze(
  pids: readonly number[],
  what: string,
  forMs: number,
  { say, signal }: Pick<DoseDeps, "say" | "signal">,
): Promise<void> {
  await whileAway(forMs, signal, {
    begin: async () => {
      send("SIGSTOP", pids);
      say(`froze ${what} for ${forMs / 1_000} s`);
    },
    end: async () => send("SIGCONT", pids),
  });
}

/** A process of this machine, in a list; an empty one where there is none. */
export async function oneOf(
  kind: ProcessRow["kind"],
  { processes }: Pick<DoseDeps, "processes">,
): Promise<readonly number[]> {
  for (const row of await processes.list())
    if (row.kind === kind && row.host === hostname() && (await isRunning(row.pid))) return [row.pid];
  return [];
}

export function send(signal: NodeJS.Signals, pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended by itself.
    }
}
