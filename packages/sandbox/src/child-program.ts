import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { GatewayError } from "@talaria/protocol";
import type { Program, ProgramEnd, RunningProgram } from "./place.ts";

const maxComplaint = 1_000;

export interface ChildProgram extends RunningProgram {
  readonly pid: number;
}

/**
 * A program of this machine in a process group of its own. Its argv sees to it that stdout takes its stderr too; on stderr
 * itself only what could not run it complains. With `stderr: "apart"` both are `errors`. `kill` is for backends whose
 * processes can leave the group. Throws `unavailable` when it can't be started.
 */
export async function startChild(
  [file = "", ...argv]: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid">,
  more: {
    readonly descriptors?: readonly number[];
    readonly kill?: (pid: number | undefined) => Promise<void>;
    readonly stderr?: Program["stderr"];
  } = {},
): Promise<ChildProgram> {
  const child = spawn(file, argv, {
    ...options,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...(more.descriptors ?? [])],
  });
  const output = kept(child.stdout);
  const errors = more.stderr === "apart" ? kept(child.stderr) : undefined;
  let reason: string | undefined;
  let complaint = "";
  let isOver = false;
  let isKilled = false;
  if (errors === undefined)
    child.stderr?.on("data", (bytes: Buffer) => {
      if (complaint.length < maxComplaint) complaint += bytes.toString();
    });
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once("close", (code, signal) => {
      isOver = true;
      if (complaint !== "") reason ??= `it could not be run: ${complaint.trim().slice(0, maxComplaint)}`;
      // Of what ran on after its first process, the end of that one says nothing.
      const end = isKilled ? { signal: "SIGKILL" } : signal !== null ? { signal } : { code: code ?? 0 };
      resolve({ ...end, ...(reason !== undefined && { reason }) });
    });
  });
  await once(child, "spawn").catch((cause: unknown) => {
    throw new GatewayError(`${file} could not be started`, { code: "unavailable", cause });
  });
  child.on("error", () => undefined);
  const killAll = async () => {
    isKilled = true;
    // The number of one that is gone may be somebody else's by now.
    const pid = child.exitCode === null && child.signalCode === null ? child.pid : undefined;
    if (more.kill !== undefined) await more.kill(pid);
    else if (pid !== undefined) killGroup(pid);
    // Whoever left the group and kept the pipe must not keep the reader waiting.
    const release = () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    if (child.exitCode !== null || child.signalCode !== null) release();
    else child.once("exit", release);
    await ended;
  };
  let killed: Promise<void> | undefined;
  const kill = async (why?: string) => {
    if (isOver) return;
    if (why !== undefined) reason ??= `killed: ${why}`;
    killed ??= killAll();
    await killed;
  };
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin as Writable,
    output,
    ...(errors && { errors }),
    ended,
    kill,
  };
}

/** As what it says comes. Node.js throws away what nobody has begun to read when a program ends, so it waits in here. */
function kept(stream: Readable | null): PassThrough {
  const output = new PassThrough();
  stream?.once("close", () => output.end());
  stream?.pipe(output);
  return output;
}

/** Nothing happens where it is gone already. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone already.
  }
}

export function killGroup(pid: number): void {
  signalProcess(-pid, "SIGKILL");
}
