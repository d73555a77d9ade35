import { randomBytes } from "node:crypto";
import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Writable } from "node:stream";
import { type Clock, GatewayError } from "@talaria/protocol";
import type Dockerode from "dockerode";
import { type Claim, claim, isClaimed } from "../claim.ts";
import type { BaseSettings, DockerSettings, SandboxLimits } from "../config.ts";
import { folderUsage } from "../folder-usage.ts";
import { folderName, openSessionFolder, prepareBase, type SessionFolder } from "../host-folder.ts";
import { LimitWatch, type Watched } from "../limit-watch.ts";
import { type Backend, type Place, type Program, type ProgramEnd, type RunningProgram, shellWords } from "../place.ts";
import { killOthersScript, markName } from "../remote/remote-kill.ts";
import { commonVariables, gitConfig, gitVariable, ownSystemVariables } from "../surroundings.ts";
import { type Attached, attach, connect } from "./connection.ts";
import { containerOptions, insideFolder, insideGitConfig, labelNames } from "./container-options.ts";

const stillMs = 10_000;
const lookMs = 20;

/** A container for each session, on the Docker of this machine: workspaces are folders of this machine that it mounts. */
export function createDockerBackend(
  settings: DockerSettings & BaseSettings,
  limits: SandboxLimits,
  clock: Clock,
): Backend {
  const socket = settings.socket ?? "/var/run/docker.sock";
  const gitFile = join(settings.folder, ".gitconfig");
  const label = folderName(settings.folder);
  const ownUid = process.getuid?.() ?? 0;
  const uid = ownUid === 0 ? (settings.uid ?? 1_000) : ownUid;
  const places = new Set<DockerPlace>();
  let docker: Dockerode | undefined;
  let own: Claim | undefined;
  return {
    description: `docker, image ${settings.image}, as uid ${uid}`,
    start: async () => {
      await prepareBase(settings.folder);
      docker = await connect(socket, settings.image);
      await writeFile(gitFile, gitConfig(settings.author));
      await chmod(gitFile, 0o644);
      own = await claim(settings.folder);
      await removeLeftovers(docker, label);
    },
    open: async (sessionKey, view) => {
      if (docker === undefined || own === undefined)
        throw new GatewayError("Docker is not connected", { code: "unavailable" });
      const owner = ownUid === 0 ? { uid, gid: uid } : undefined;
      const folder = await openSessionFolder(settings.folder, sessionKey, owner, view);
      const { files, tmp } = folder;
      const readable = view?.readable ?? [];
      const labels = { [labelNames.folder]: label, [labelNames.owner]: own.path };
      const options = containerOptions({ ...settings, uid, labels, limits, files, tmp, gitFile, readable });
      const container = await docker.createContainer(options);
      await container.start();
      const watch = await LimitWatch.begin(folder.root, limits, clock);
      const place = new DockerPlace({ docker, container, folder, watch, clock });
      places.add(place);
      await place.findShell();
      return place;
    },
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
      places.clear();
      await own?.release();
      own = undefined;
    },
  };
}

/** Removes the containers of workers that were killed, and leaves those of the others on this machine. */
async function removeLeftovers(docker: Dockerode, label: string): Promise<void> {
  const filters = { label: [`${labelNames.folder}=${label}`] };
  for (const { Id, Labels } of await docker.listContainers({ all: true, filters })) {
    const owner = Labels[labelNames.owner];
    if (owner !== undefined && (await isClaimed(owner))) continue;
    // Another worker that starts may be faster.
    await docker.getContainer(Id).remove({ force: true }).catch(ignoreGone);
  }
}

function ignoreGone(error: unknown): void {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  if (status !== 404 && status !== 409) throw error;
}

interface PlaceParts {
  readonly docker: Dockerode;
  readonly container: Dockerode.Container;
  readonly folder: SessionFolder;
  readonly watch: LimitWatch;
  readonly clock: Clock;
}

class DockerPlace implements Place {
  readonly folder = insideFolder;
  readonly tmp = "/tmp";
  shell: Place["shell"] = "/bin/sh";
  readonly #parts: PlaceParts;
  readonly #running = new Map<string, RunningProgram>();
  /** Marks of all programs that run or are about to. */
  readonly #marks = new Set<string>();
  /** When no killing is under way: it would take what is begun meanwhile for a stray. */
  #calm: Promise<void> = Promise.resolve();

  constructor(parts: PlaceParts) {
    this.#parts = parts;
  }

  async findShell(): Promise<void> {
    const argv = ["/bin/sh", "-c", "[ -x /bin/bash ]"];
    const program = await this.launch({ argv, folder: insideFolder, variables: {} });
    program.stdin.end();
    program.output.resume();
    if ((await program.ended).code === 0) this.shell = "/bin/bash";
  }

  async launch(program: Program): Promise<RunningProgram> {
    await this.#calm;
    const { watch } = this.#parts;
    const mark = randomBytes(12).toString("hex");
    this.#marks.add(mark);
    const mayWrite = watch.excess === undefined;
    const attached = await this.#attach(program, mark, mayWrite).catch((error: unknown) => {
      this.#marks.delete(mark);
      throw error;
    });
    let reason: string | undefined;
    let isKilled = false;
    const ended = attached.ended.then(
      (code): ProgramEnd => ({
        ...(isKilled || code === undefined ? { signal: "SIGKILL" } : { code }),
        ...(reason !== undefined && { reason }),
      }),
    );
    let killed: Promise<void> | undefined;
    const kill = (why?: string) => {
      isKilled = true;
      if (why !== undefined) reason ??= `killed: ${why}`;
      killed ??= this.#calm.then(() => this.#kill(mark, attached)).finally(() => attached.release());
      this.#calm = killed;
      return killed;
    };
    const watched: Watched = {
      mayWrite,
      proc: async () => undefined,
      kill,
    };
    const running: RunningProgram = {
      stdin: attached.stdin as Writable,
      output: attached.output,
      ...(attached.errors && { errors: attached.errors }),
      ended,
      kill,
      isOutdated: () => !mayWrite && watch.excess === undefined,
    };
    this.#running.set(mark, running);
    watch.add(watched);
    void ended.then(() => {
      this.#running.delete(mark);
      this.#marks.delete(mark);
      watch.delete(watched);
    });
    return running;
  }

  async usedBytes(): Promise<number> {
    return (await folderUsage(this.#parts.folder.root)).bytes;
  }

  async close(): Promise<void> {
    await this.#parts.container.remove({ force: true }).catch(() => undefined);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #attach(program: Program, mark: string, mayWrite: boolean) {
    const { folder, variables, stderr } = program;
    const all = { ...baseVariables, ...variables, [markName]: mark };
    const limit = mayWrite ? "" : "ulimit -f 0; ";
    const options = {
      Cmd: [...shellWords(program, limit)],
      Env: Object.entries(all).map(([name, value]) => `${name}=${value}`),
      WorkingDir: folder,
    };
    return attach(this.#parts.docker, this.#parts.container, options, stderr).catch((cause: unknown) => {
      throw new GatewayError("the container could not run a command", { code: "unavailable", cause });
    });
  }

  /** With whatever bears no mark of another running program; where that fails, with the whole container. */
  async #kill(mark: string, program: Pick<Attached, "hasBegun">): Promise<void> {
    if (!(await this.#begun(program))) return await this.#restart();
    const own = randomBytes(12).toString("hex");
    const live = [...this.#marks].filter((other) => other !== mark);
    const argv = ["/bin/sh", "-c", killOthersScript([own, ...live])];
    const code = await this.#still(
      this.#attach({ argv, folder: "/", variables: {} }, own, true).then((attached) => {
        attached.output.resume();
        return attached.ended;
      }),
    );
    if (code !== 0) await this.#restart();
  }

  /** What has not begun is not found, and would run later. */
  async #begun(program: Pick<Attached, "hasBegun">): Promise<boolean> {
    for (let waitedMs = 0; waitedMs <= stillMs; waitedMs += lookMs) {
      // Without an answer, the container is gone, and the program with it.
      if (await program.hasBegun().catch(() => true)) return true;
      await this.#parts.clock.sleep(lookMs).catch(() => undefined);
    }
    return false;
  }

  async #restart(): Promise<void> {
    const { container } = this.#parts;
    await container.kill().catch(() => undefined);
    await container.wait().catch(() => undefined);
    await container.start().catch(() => undefined);
  }

  async #still(code: Promise<number | undefined>): Promise<number | undefined> {
    const over = new AbortController();
    const late = this.#parts.clock.sleep(stillMs, over.signal).catch(() => undefined);
    try {
      return await Promise.race([code.catch(() => undefined), late.then(() => undefined)]);
    } finally {
      over.abort();
    }
  }
}

const baseVariables = {
  ...commonVariables(insideFolder),
  ...ownSystemVariables(insideFolder),
  [gitVariable]: insideGitConfig,
};
