import { readdir, readFile, readlink } from "node:fs/promises";

export interface ProcessFigures {
  readonly pid: number;
  readonly name: string;
  /** Proportional set size. */
  readonly pssKiB: number;
  /** User and system time used so far. */
  readonly cpuMs: number;
}

const ticksPerSecond = 100;

/** Every process of an installation: the supervisor with its descendants, and the database whose folder lies in `home`. */
export async function figuresOf(supervisor: number, home: string): Promise<readonly ProcessFigures[]> {
  const all = await Promise.all((await pids()).map(async (pid) => ({ pid, parent: await parentOf(pid) })));
  const children = Map.groupBy(all, ({ parent }) => parent);
  const tree: number[] = [];
  const visit = (pid: number) => {
    tree.push(pid);
    for (const child of children.get(pid) ?? []) visit(child.pid);
  };
  visit(supervisor);
  for (const { pid } of all) {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    if (cwd.startsWith(home) && !tree.includes(pid)) tree.push(pid);
  }
  return Promise.all(tree.map(figureOf));
}

async function figureOf(pid: number): Promise<ProcessFigures> {
  const [rollup, stat, command] = await Promise.all([
    readFile(`/proc/${pid}/smaps_rollup`, "utf8").catch(() => ""),
    readFile(`/proc/${pid}/stat`, "utf8").catch(() => ""),
    readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
  ]);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const cpuMs = ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
  return { pid, name: nameOf(command), pssKiB: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0), cpuMs: cpuMs || 0 };
}

function nameOf(command: string): string {
  if (command.includes("postgres")) return "postgres";
  return /main\.ts\0(\w+)/.exec(command)?.[1] ?? command.split("\0")[0] ?? "?";
}

async function pids(): Promise<readonly number[]> {
  return (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
}

async function parentOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}
