import { type ChildProcess, execFile, type SpawnOptions, spawn } from "node:child_process";

/**
 * PostgreSQL refuses to run as root. `self`: we are not root, nothing to do. `namespace`: a user namespace in which root
 * has another id; the files stay owned by root. `copy`: another account, which owns the data and reads a copy of the programs.
 */
export type RunAs =
  | { readonly kind: "self" }
  | { readonly kind: "namespace" }
  | { readonly kind: "copy"; readonly uid: number; readonly gid: number };

const nobody = 65_534;
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const inNamespace = ["-U", "--map-user=1000", "--map-group=1000"];

export async function chooseRunAs(forced: "namespace" | "copy" | undefined): Promise<RunAs> {
  if (process.getuid === undefined || process.getuid() !== 0) return { kind: "self" };
  const kind = forced ?? ((await namespacesWork()) ? "namespace" : "copy");
  return kind === "namespace" ? { kind } : { kind, uid: nobody, gid: nobody };
}

/** The owner the data must have on disk, or undefined when it is whoever we are. */
export function ownerOf(runAs: RunAs): { readonly uid: number; readonly gid: number } | undefined {
  switch (runAs.kind) {
    case "self":
      return undefined;
    case "namespace":
      return { uid: 0, gid: 0 };
    case "copy":
      return { uid: runAs.uid, gid: runAs.gid };
    default:
      return runAs satisfies never;
  }
}

/**
 * How a program that works inside `cluster` (its current folder) must call it. Another account may be shut out of the
 * folders above, such as /root; the kernel's link to the current folder leads past them.
 */
export function dataArgument(runAs: RunAs, cluster: string): string {
  return runAs.kind === "copy" && process.platform === "linux" ? "/proc/self/cwd" : cluster;
}

/** Spawns with a clean environment, so a caller's PG* variables and locale change nothing. */
export function spawnAs(
  runAs: RunAs,
  program: string,
  parameters: readonly string[],
  options: SpawnOptions,
): ChildProcess {
  const env = process.platform === "win32" ? {} : { env: { PATH: systemPath, LC_ALL: "C" } };
  switch (runAs.kind) {
    case "self":
      return spawn(program, parameters, { ...options, ...env });
    case "namespace":
      return spawn("unshare", [...inNamespace, program, ...parameters], { ...options, ...env });
    case "copy":
      return spawn(program, parameters, { ...options, ...env, uid: runAs.uid, gid: runAs.gid });
    default:
      return runAs satisfies never;
  }
}

function namespacesWork(): Promise<boolean> {
  return new Promise((resolve) => {
    execFile("unshare", [...inNamespace, "true"], { env: { PATH: systemPath } }, (error) => resolve(error === null));
  });
}
