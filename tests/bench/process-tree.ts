import { readdir, readFile } from "node:fs/promises";
import { processesOf } from "../support/processes-of.ts";

export interface ProcessFigures {
  readonly pid: number;
  readonly name: string;
  /** Proportional set size. */
  readonly pssKiB: number;
  /** User and system time of all threads so far. */
  readonly cpuMs: number;
  /** How often its threads gave up the processor and were woken again. */
  readonly wakes: number;
}

/** Every process of an installation: the supervisor with its descendants, and the database whose folder lies in `home`. */
export async function figuresOf(supervisor: number, home: string): Promise<readonly ProcessFigures[]> {
  return Promise.all((await processesOf(supervisor, home)).map(figureOf));
}

/** Processor time of the tree, and of each kind of process in it, between two looks. */
export function cpuBetween(
  before: readonly ProcessFigures[],
  after: readonly ProcessFigures[],
): { readonly totalMs: number; readonly ofMs: (name: string) => number } {
  const known = new Map(before.map(({ pid, cpuMs }) => [pid, cpuMs]));
  const spent = after.map(({ pid, name, cpuMs }) => ({ name, ms: cpuMs - (known.get(pid) ?? 0) }));
  const sum = (of: typeof spent) => of.reduce((total, { ms }) => total + ms, 0);
  return { totalMs: sum(spent), ofMs: (wanted) => sum(spent.filter(({ name }) => name === wanted)) };
}

export function pssMiB(figures: readonly ProcessFigures[]): number {
  return figures.reduce((total, { pssKiB }) => total + pssKiB, 0) / 1024;
}

async function figureOf(pid: number): Promise<ProcessFigures> {
  const [rollup, command, threads] = await Promise.all([
    readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => ""),
    readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    threadsOf(pid),
  ]);
  const pssKiB = Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0);
  const sum = (field: "cpuMs" | "wakes") => threads.reduce((total, thread) => total + thread[field], 0);
  return { pid, name: nameOf(command), pssKiB, cpuMs: sum("cpuMs"), wakes: sum("wakes") };
}

/** The scheduler counts in nanoseconds, where the ticks of `stat` would hide what an idle process does. */
async function threadsOf(pid: number): Promise<readonly { readonly cpuMs: number; readonly wakes: number }[]> {
  const ids = await readdir(`/proc/${pid}/task`).catch(() => []);
  return Promise.all(
    ids.map(async (id) => {
      const schedule = await readFile(`/proc/${pid}/task/${id}/schedstat`, "utf8").catch(() => "0");
      const status = await readFile(`/proc/${pid}/task/${id}/status`, "utf8").catch(() => "");
      const wakes = Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)?.[1] ?? 0);
      return { cpuMs: Number(schedule.split(" ")[0]) / 1e6, wakes };
    }),
  );
}

function nameOf(command: string): string {
  if (command.includes("postgres")) return "postgres";
  return /main\.ts\0(\w+)/.exec(command)?.[1] ?? command.split("\0")[0] ?? "?";
}
