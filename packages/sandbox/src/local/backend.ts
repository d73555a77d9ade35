import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@talaria/protocol";
import { killGroup, startChild } from "../child-program.ts";
import type { BaseSettings, SandboxLimits } from "../config.ts";
import { folderUsage } from "../folder-usage.ts";
import { openSessionFolder, prepareBase, type SessionFolder } from "../host-folder.ts";
import { LimitWatch, type Watched } from "../limit-watch.ts";
import { type Backend, type Place, type Program, type RunningProgram, shellWords } from "../place.ts";
import { commonVariables, gitConfig, gitVariable } from "../surroundings.ts";
import { killMarked } from "./kill-marked.ts";

/**
 * No boundary: commands are the worker's own account and see its files and its network. What remains are a clean
 * environment, limits on each process, on time, output and the folder, and killing.
 */
export function createLocalBackend(
  { folder: base, author }: BaseSettings,
  limits: SandboxLimits,
  clock: Clock,
): Backend {
  const places = new Set<LocalPlace>();
  const gitFile = join(base, ".gitconfig");
  return {
    description: "no boundary: the worker's own account",
    start: async () => {
      await prepareBase(base);
      await writeFile(gitFile, gitConfig(author));
    },
    open: async (sessionKey, own) => {
      const folder = await openSessionFolder(base, sessionKey, undefined, own);
      const place = new LocalPlace(folder, gitFile, await LimitWatch.begin(folder.root, limits, clock), limits, clock);
      places.add(place);
      return place;
    },
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
      places.clear();
    },
  };
}

class LocalPlace implements Place {
  readonly folder: string;
  readonly tmp: string;
  readonly shell = "/bin/bash";
  readonly #variables: Readonly<Record<string, string>>;
  readonly #watch: LimitWatch;
  readonly #limits: SandboxLimits;
  readonly #clock: Clock;
  readonly #running = new Set<RunningProgram>();

  constructor({ files, tmp }: SessionFolder, gitFile: string, watch: LimitWatch, limits: SandboxLimits, clock: Clock) {
    this.folder = files;
    this.tmp = tmp;
    this.#variables = { ...commonVariables(files), [gitVariable]: gitFile };
    this.#watch = watch;
    this.#limits = limits;
    this.#clock = clock;
  }

  async launch(program: Program): Promise<RunningProgram> {
    const { folder, variables } = program;
    const mark = `TALARIA_PROGRAM=${randomBytes(12).toString("hex")}`;
    const [name = "", value = ""] = mark.split("=");
    const { memoryMb, quotaMb } = this.#limits;
    const mayWrite = this.#watch.excess === undefined;
    const mebibyte = 1024 * 1024;
    const child = await startChild(
      [
        ...[
          "prlimit",
          `--data=${memoryMb * mebibyte}`,
          `--fsize=${mayWrite ? quotaMb * mebibyte : 0}`,
          "--core=0",
          "--",
        ],
        ...shellWords(program),
      ],
      {
        cwd: folder,
        env: { ...this.#variables, ...variables, [name]: value },
      },
      {
        kill: async (pid) => {
          if (pid !== undefined) killGroup(pid);
          await killMarked(mark, this.#clock);
        },
        ...(program.stderr && { stderr: program.stderr }),
      },
    );
    const watched: Watched = { mayWrite, proc: async () => undefined, kill: child.kill };
    this.#running.add(child);
    this.#watch.add(watched);
    void child.ended.then(() => {
      this.#running.delete(child);
      this.#watch.delete(watched);
    });
    return { ...child, isOutdated: () => !mayWrite && this.#watch.excess === undefined };
  }

  async usedBytes(): Promise<number> {
    return (await folderUsage(this.folder)).bytes;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running].map((program) => program.kill()));
  }
}
