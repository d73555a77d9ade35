import { readdir, readFile, readlink } from "node:fs/promises";
import { systemClock } from "@talaria/protocol";

export interface Rights {
  readonly uid: number;
  readonly capabilities: string;
  readonly noNewPrivileges: string;
  /** Of system calls: 2 is a filter. */
  readonly filter: string;
  /** Namespaces that it has in common with this process, of those that were asked for. */
  readonly shared: readonly string[];
  readonly devices: readonly string[];
  readonly routes: number;
}

/** What the kernel says of the process with this command line, each word ended by NUL. Waits for it. Needs the rights to look. */
export async function rightsOf(commandLine: string, namespaces: readonly string[]): Promise<Rights> {
  const proc = await processOf(commandLine);
  const status = await readFile(`${proc}/status`, "utf8");
  const value = (name: string) => new RegExp(`^${name}:\\s*(\\S+)`, "m").exec(status)?.[1] ?? "";
  const shared: string[] = [];
  for (const name of namespaces)
    if ((await readlink(`${proc}/ns/${name}`)) === (await readlink(`/proc/self/ns/${name}`))) shared.push(name);
  const lines = async (file: string) => (await readFile(`${proc}/net/${file}`, "utf8")).trim().split("\n");
  return {
    uid: Number(value("Uid")),
    capabilities: value("CapEff"),
    noNewPrivileges: value("NoNewPrivs"),
    filter: value("Seccomp"),
    shared,
    devices: (await lines("dev")).slice(2).map((line) => line.trim().split(":")[0] ?? ""),
    routes: (await lines("route")).length - 1,
  };
}

const rounds = 400;
const pauseMs = 50;

async function processOf(commandLine: string): Promise<string> {
  for (let round = 0; round < rounds; round += 1) {
    for (const name of await readdir("/proc"))
      if (/^\d+$/.test(name) && (await readFile(`/proc/${name}/cmdline`, "latin1").catch(() => "")) === commandLine)
        return `/proc/${name}`;
    await systemClock.sleep(pauseMs);
  }
  throw new Error("there is no such process on this machine");
}
