import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import type { Clock } from "@talaria/protocol";

export interface StdioCommand {
  /** The server's name in the configuration. */
  readonly server: string;
  readonly command: readonly [string, ...string[]];
  readonly variables: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly readable?: readonly string[];
}

/** A started server. Whoever starts it reads `stdout` and `stderr` to their ends. */
export interface StdioChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Says how it ended, or why it could not be started: `exit code 1`. Never rejects. */
  readonly ended: Promise<string>;
  /** Ends it with everything it has started. Resolves when it is gone, also when it was gone before. */
  kill(): Promise<void>;
}

/** The port behind which servers run. A sandbox implements it; `plainSpawn` runs them as they are. */
export type Spawn = (command: StdioCommand) => Promise<StdioChild>;

/** How long a server has to end by itself once its input has ended, and again after it was asked to. */
const gracePeriodMs = 1_000;

/**
 * Runs servers as child processes, without a boundary: they may do whatever this process may. Each is the leader of a process
 * group and finds no variables but `variables` and those of its command; it needs a PATH among them to find programs.
 */
export function plainSpawn(clock: Clock, variables: Readonly<Record<string, string>>): Spawn {
  return async ({ command: [program, ...args], folder, variables: own }) => {
    const child = spawn(program, args, {
      env: { ...variables, ...own },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
      ...(folder === undefined ? {} : { cwd: folder }),
    });
    const { stdin, stdout, stderr } = child;
    // A server that is gone does not read. Its end is reported once, by `ended`.
    stdin.on("error", () => undefined);
    const ended = new Promise<string>((resolve) => {
      child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
      child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
    let killed: Promise<void> | undefined;
    const kill = () => {
      killed ??= endGroup({ id: child.pid, stdin, ended, clock });
      return killed;
    };
    return { stdin, stdout, stderr, ended, kill };
  };
}

interface Group {
  readonly id: number | undefined;
  readonly stdin: Writable;
  readonly ended: Promise<string>;
  readonly clock: Clock;
}

/** First the end of its input, as the specification asks; then a request; then force, for the leader's children too. */
async function endGroup({ id, stdin, ended, clock }: Group): Promise<void> {
  stdin.end();
  if (id === undefined) return;
  if (!(await endsSoon(ended, clock))) {
    signalGroup(id, "SIGTERM");
    await endsSoon(ended, clock);
  }
  signalGroup(id, "SIGKILL");
  await ended;
}

async function endsSoon(ended: Promise<string>, clock: Clock): Promise<boolean> {
  const waiting = new AbortController();
  const tooLong = clock.sleep(gracePeriodMs, waiting.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([ended.then(() => true), tooLong]);
  } finally {
    waiting.abort();
  }
}

function signalGroup(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-id, signal);
  } catch {
    // Nobody of the group is left.
  }
}
