import { type FileHandle, open } from "node:fs/promises";
import { GatewayError } from "@talaria/protocol";
import { startChild } from "../child-program.ts";
import type { SandboxLimits } from "../config.ts";
import { folderUsage } from "../folder-usage.ts";
import type { SessionFolder } from "../host-folder.ts";
import type { LimitWatch, Watched } from "../limit-watch.ts";
import { type ApartSettings, type Place, type Program, type RunningProgram, shellWords } from "../place.ts";
import { commonVariables, gitVariable, ownSystemVariables } from "../surroundings.ts";
import type { Account } from "./account.ts";
import type { NetworkLog } from "./egress/network-log.ts";
import type { SessionDoor } from "./egress/session-door.ts";
import { killNamespace, procOf } from "./first-process.ts";
import { NetworkRoom } from "./network-room.ts";
import type { HostProxy } from "./proxy.ts";
import { insideFolder, insideGitConfig, insideTmp } from "./view.ts";

export interface PlaceParts {
  /** Of the programs that have no network of their own. Absent: nobody hears what they try. */
  readonly door?: SessionDoor;
  /** Absent: no program can have a network of its own. */
  readonly apart?: (program: Program, settings: ApartSettings) => Promise<RunningProgram>;
  readonly account: Account;
  readonly folder: SessionFolder;
  readonly view: readonly string[];
  readonly filterFile: string;
  readonly limits: SandboxLimits;
  readonly watch: LimitWatch;
  readonly proxy: HostProxy | undefined;
}

/** One session's namespaces: each of its programs in one of its own, all on one network. */
export class NamespacePlace implements Place {
  readonly folder = insideFolder;
  readonly tmp = insideTmp;
  readonly shell = "/bin/bash";
  readonly #parts: PlaceParts;
  readonly #running = new Set<RunningProgram>();
  #room: Promise<NetworkRoom> | undefined;
  #isClosed = false;

  constructor(parts: PlaceParts) {
    this.#parts = parts;
  }

  async launch(program: Program): Promise<RunningProgram> {
    const { pid } = await this.#openRoom();
    const filter = await open(this.#parts.filterFile, "r");
    try {
      return await this.#start(program, pid, filter);
    } finally {
      await filter.close();
    }
  }

  async launchApart(program: Program, settings: ApartSettings): Promise<RunningProgram> {
    const { apart } = this.#parts;
    if (this.#isClosed) throw closed();
    if (apart === undefined)
      throw new GatewayError("commands can have no network here: the operator has to install the package socat", {
        code: "unsupported",
      });
    const running = await apart(program, settings);
    if (this.#isClosed) {
      await running.kill();
      throw closed();
    }
    this.#running.add(running);
    void running.ended.then(() => this.#running.delete(running));
    return running;
  }

  async usedBytes(): Promise<number> {
    return (await folderUsage(this.#parts.folder.root)).bytes;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#running].map((program) => program.kill()));
    const room = await this.#room?.catch(() => undefined);
    await room?.close();
    await this.#parts.door?.way.stop();
  }

  async #start(program: Program, room: number, filter: FileHandle): Promise<RunningProgram> {
    const { account, watch, limits } = this.#parts;
    const mayWrite = watch.excess === undefined;
    const network = networkOf(this.#parts.door?.log);
    const hasFilter = (await filter.stat()).size > 0;
    const child = await startChild(
      [
        ...["nsenter", "--user", "--net", "--preserve-credentials", `--target=${room}`, "--", "bwrap"],
        ...namespaceArguments,
        ...this.#parts.view,
        ...["--chdir", program.folder],
        ...(hasFilter ? ["--seccomp", "3"] : []),
        ...["--", ...limitArguments(limits, mayWrite), ...shellWords(program)],
      ],
      {
        ...account.credentials,
        cwd: "/",
        env: { ...baseVariables, ...this.#parts.proxy?.variables, ...program.variables },
      },
      { descriptors: [filter.fd], kill: killNamespace, ...(program.stderr && { stderr: program.stderr }) },
    );
    const watched: Watched = { mayWrite, proc: () => procOf(child.pid, this.#parts.folder.files), kill: child.kill };
    this.#running.add(child);
    watch.add(watched);
    void child.ended.then(() => {
      this.#running.delete(child);
      watch.delete(watched);
    });
    return { ...child, ...network, isOutdated: () => !mayWrite && watch.excess === undefined };
  }

  /** The one that is open, or a new one where it died. Two that ask at once get the same. */
  #openRoom(): Promise<NetworkRoom> {
    if (this.#isClosed) throw closed();
    const known = this.#room;
    this.#room = (async () => {
      const room = await known?.catch(() => undefined);
      return room?.isOpen ? room : NetworkRoom.open(this.#parts.account, this.#parts.proxy);
    })();
    return this.#room;
  }
}

/** What is known from before the program begins on. */
function networkOf(log: NetworkLog | undefined): Pick<RunningProgram, "network"> {
  return log === undefined ? {} : { network: { use: log.fromNow(), fromNow: () => log.fromNow() } };
}

function closed(): GatewayError {
  return new GatewayError("the workspace is closed", { code: "unavailable", effect: "none" });
}

/** Variables come through the environment, not as arguments, which every account of the machine can read. */
const namespaceArguments = [
  ...["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL"],
  ...["--new-session", "--die-with-parent"],
];

const baseVariables = {
  ...commonVariables(insideFolder),
  ...ownSystemVariables(insideFolder),
  [gitVariable]: insideGitConfig,
};

/** Set inside the namespace, where the limit on processes counts this command's alone. */
function limitArguments({ memoryMb, processes, quotaMb }: SandboxLimits, mayWrite: boolean): readonly string[] {
  const mebibyte = 1024 * 1024;
  return [
    "prlimit",
    `--nproc=${processes}`,
    `--data=${memoryMb * mebibyte}`,
    `--fsize=${mayWrite ? quotaMb * mebibyte : 0}`,
    "--nofile=1024",
    "--core=0",
    "--msgqueue=65536",
    "--memlock=65536",
    "--",
  ];
}
