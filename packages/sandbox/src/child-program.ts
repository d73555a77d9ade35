import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { GatewayError } from "@talaria/protocol";
import type { ProgramEnd, RunningProgram } from "./place.ts";

const maxComplaint = 1_000;

export interface ChildProgram extends RunningProgram {
  readonly pid: number;
  /** As `kill`, with words for whoever reads the output. */
  killBecause(reason: string): void;
}

/**
 * A program of this machine in a process group of its own. Its argv sees to it that stdout takes its stderr too; on stderr
 * itself only what could not run it complains.
 * `killRest` is for processes that left the group. Throws `unavailable` when it can't be started.
 */
export async function startChild(
  [file = "", ...argv]: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid">,
  more: { readonly descriptors?: readonly number[]; readonly killRest?: () => Promise<void> } = {},
): Promise<ChildProgram> {
  const child = spawn(file, argv, {
    ...options,
    detached: true,
    stdio: ["pipe", "pipe", "pipe", ...(more.descriptors ?? [])],
  });
  let reason: string | undefined;
  let complaint = "";
  child.stderr?.on("data", (bytes: Buffer) => {
    if (complaint.length < maxComplaint) complaint += bytes.toString();
  });
  const ended = new Promise<ProgramEnd>((resolve) => {
    child.once("close", (code, signal) => {
      if (complaint !== "") reason ??= `it could not be run: ${complaint.trim().slice(0, maxComplaint)}`;
      resolve({ ...(signal !== null ? { signal } : { code: code ?? 0 }), ...(reason !== undefined && { reason }) });
    });
  });
  await Promise.race([
    once(child, "spawn"),
    once(child, "error").then(([cause]) => {
      throw new GatewayError(`${file} could not be started`, { code: "unavailable", cause });
    }),
  ]);
  child.on("error", () => undefined);
  const kill = async () => {
    killGroup(child);
    await more.killRest?.();
    // Whoever left the group and kept the pipe must not keep the reader waiting.
    const release = () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    };
    if (child.exitCode !== null || child.signalCode !== null) release();
    else child.once("exit", release);
    await ended;
  };
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin as Writable,
    output: child.stdout as Readable,
    ended,
    kill,
    killBecause: (text) => {
      reason ??= `killed: ${text}`;
      void kill();
    },
  };
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
