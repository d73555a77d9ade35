import type { CommandResult, Workspace } from "@talaria/agent";
import type { Remedy } from "./workplace/lacking.ts";

export interface SelfTest {
  /** Commands may be given to it. */
  readonly isUsable: boolean;
  readonly backend: string;
  /** Where commands run, in words for health. */
  readonly description: string;
  /** Why it isn't usable: what is missing, or what got through. One sentence each. */
  readonly reasons: readonly string[];
  /** What an operator does about the first reason. Absent: nobody knows, or nothing is wrong. */
  readonly remedy?: Remedy;
  /** Well-known programs that commands find, with versions. Absent: nobody has looked. */
  readonly programs?: readonly string[];
  /** The workspace as commands see it, where that is the same for all sessions. */
  readonly folder?: string;
}

export interface Probe {
  /** What the command tries, in words that follow "a command could". */
  readonly attempt: string;
  /** Prints `THROUGH` if, and only if, it got through. */
  readonly command: string;
}

export interface ProbeTargets {
  /** Files of this machine that nobody else may read, and folders nobody else may write in. */
  readonly secretFiles: readonly string[];
  readonly outsideFolders: readonly string[];
  /** A port on the loopback address of the machine on which the worker listens. */
  readonly listeningPort: number;
  /** Name of a variable of the worker. */
  readonly variable: string;
}

/** What a boundary must refuse, tried for real. Only what `sh` and its usual programs can do, for every image has them. */
export function probes({ secretFiles, outsideFolders, listeningPort, variable }: ProbeTargets): readonly Probe[] {
  return [
    ...secretFiles.map((path) => ({
      attempt: `read ${path}`,
      command: `head -c 1 '${path}' 2>/dev/null | grep -q . && echo THROUGH`,
    })),
    ...outsideFolders.map((path) => ({
      attempt: `write in ${path}`,
      command: `f='${path}/.talaria-probe'; (echo x >"$f") 2>/dev/null && echo THROUGH; rm -f "$f" 2>/dev/null`,
    })),
    { attempt: "see a variable of the worker", command: `env | grep -q '^${variable}=' && echo THROUGH` },
    {
      attempt: "see a variable of the worker in /proc",
      command: `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q '^${variable}=' && echo THROUGH`,
    },
    { attempt: "reach 169.254.169.254", command: reach("169.254.169.254", 80) },
    { attempt: "reach the worker's own machine", command: reach("127.0.0.1", listeningPort) },
    {
      attempt: "make a user namespace",
      command: "unshare -Ur true 2>/dev/null && echo THROUGH",
    },
    { attempt: "mount something", command: "mount -t tmpfs none /tmp 2>/dev/null && echo THROUGH" },
    { attempt: "reach Docker's socket", command: "[ -S /var/run/docker.sock ] && echo THROUGH" },
    {
      attempt: "keep a capability",
      command: "grep -q '^CapEff:.*[1-9a-f]' /proc/self/status && echo THROUGH",
    },
  ];
}

/** What somebody else's machine was asked to refuse: it has no network. */
export const hostedProbes: readonly Probe[] = [
  { attempt: "reach 169.254.169.254", command: reach("169.254.169.254", 80) },
  { attempt: "reach the internet", command: `${reach("1.1.1.1", 443)}; ${reach("8.8.8.8", 53)}` },
];

/** With bash's own sockets, or with the `nc` of busybox. */
function reach(host: string, port: number): string {
  const connect = `if [ -x /bin/bash ]; then timeout 2 /bin/bash -c '</dev/tcp/${host}/${port}'; else timeout 2 nc ${host} ${port} </dev/null; fi`;
  return `(${connect}) >/dev/null 2>&1 && echo THROUGH`;
}

/** What got through, and what could not be tried. One sentence each; none is what is wanted. */
export async function runProbes(workspace: Workspace, list: readonly Probe[]): Promise<readonly string[]> {
  const signal = new AbortController().signal;
  const command = list.map((probe, index) => `(${probe.command}) | sed 's/^/${index} /'`).join("\n");
  const result: CommandResult = await workspace.exec(
    { command: `${command}\necho finished` },
    { timeoutMs: 30_000, signal, maxOutputChars: 20_000 },
  );
  if (!result.output.endsWith("finished\n"))
    return [`the self-test did not run: ${result.output.trim().slice(-300) || result.end.kind}`];
  return result.output
    .split("\n")
    .filter((line) => line.endsWith(" THROUGH"))
    .map((line) => `a command could ${list[Number.parseInt(line, 10)]?.attempt}`);
}
