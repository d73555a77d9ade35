import type Dockerode from "dockerode";
import type { SandboxLimits } from "../config.ts";
import { seccompProfile } from "./seccomp-profile.ts";

export const insideFolder = "/workspace";
export const insideGitConfig = "/etc/talaria-gitconfig";

/** By the first of them the containers of one folder of workspaces are found, by the second the worker that made one. */
export const labelNames = { folder: "talaria.sandbox", owner: "talaria.sandbox.owner" };

export interface ContainerParts {
  readonly image: string;
  readonly uid: number;
  readonly files: string;
  readonly tmp: string;
  /** Settings of git. */
  readonly gitFile: string;
  readonly readable: readonly string[];
  /** By their names. */
  readonly labels: Readonly<Record<string, string>>;
  readonly limits: SandboxLimits;
}

/** A container that only waits: no network, no capability, nothing to write in but the workspace and its tmp. */
export function containerOptions({
  image,
  uid,
  files,
  tmp,
  gitFile,
  readable,
  labels,
  limits,
}: ContainerParts): Dockerode.ContainerCreateOptions {
  const mebibyte = 1024 * 1024;
  return {
    Image: image,
    // The first process collects what others leave behind; signals from inside do not reach it.
    Entrypoint: ["/bin/sh", "-c", "trap 'exit 0' TERM; while :; do sleep 3600 & wait; done"],
    Cmd: [],
    User: `${uid}:${uid}`,
    WorkingDir: insideFolder,
    Labels: labels,
    NetworkDisabled: true,
    HostConfig: {
      NetworkMode: "none",
      ReadonlyRootfs: true,
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges", `seccomp=${seccompProfile()}`],
      PidsLimit: limits.processes,
      Memory: limits.memoryMb * mebibyte,
      MemorySwap: limits.memoryMb * mebibyte,
      ShmSize: 64 * mebibyte,
      Binds: [
        ...[`${files}:${insideFolder}`, `${tmp}:/tmp`, `${gitFile}:${insideGitConfig}:ro`],
        ...readable.map((path) => `${path}:${path}:ro`),
      ],
      Ulimits: [
        { Name: "fsize", Soft: limits.quotaMb * mebibyte, Hard: limits.quotaMb * mebibyte },
        { Name: "nofile", Soft: 1_024, Hard: 1_024 },
        { Name: "core", Soft: 0, Hard: 0 },
      ],
      LogConfig: { Type: "none", Config: {} },
      RestartPolicy: { Name: "no" },
    },
  };
}
