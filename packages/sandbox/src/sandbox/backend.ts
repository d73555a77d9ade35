import { randomBytes } from "node:crypto";
import { chmod, type FileHandle, mkdir, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, GatewayError } from "@talaria/protocol";
import { startChild } from "../child-program.ts";
import type { BaseSettings, NamespaceSettings, SandboxLimits } from "../config.ts";
import { folderUsage } from "../folder-usage.ts";
import { openSessionFolder, prepareBase, type SessionFolder } from "../host-folder.ts";
import { LimitWatch, type Watched } from "../limit-watch.ts";
import { type OwnedFolder, ownFolder } from "../owned-folder.ts";
import { type Backend, type Place, type PlaceView, type Program, type RunningProgram, shellWords } from "../place.ts";
import { commonVariables, gitConfig, gitVariable, ownSystemVariables } from "../surroundings.ts";
import { Lacking } from "../workplace/lacking.ts";
import { readMachine } from "../workplace/machine.ts";
import { checkPrograms } from "../workplace/missing-programs.ts";
import { dockerInstead, namespaceTrouble } from "../workplace/namespace-remedy.ts";
import { type Account, accountFor } from "./account.ts";
import { openCell } from "./cell.ts";
import { killNamespace, procOf } from "./first-process.ts";
import { NetworkRoom } from "./network-room.ts";
import { type HostProxy, startProxy } from "./proxy.ts";
import { seccompFilter } from "./seccomp.ts";
import { type CertificateAuthority, createAuthority, trustBundle } from "./secrets/authority.ts";
import { launchWithSecrets } from "./secrets/secret-place.ts";
import { insideFolder, insideGitConfig, insideTmp, viewArguments } from "./view.ts";

/**
 * Bubblewrap, called directly: Anthropic's sandbox runtime wraps it too, but shows the whole file system except what is
 * listed, hands on the worker's environment, and gives each command a network of its own. Its proxy is what we take of it.
 */
export async function createNamespaceBackend(
  settings: NamespaceSettings & BaseSettings,
  limits: SandboxLimits,
  clock: Clock,
): Promise<Backend> {
  const account = accountFor(process.getuid?.() ?? -1, process.getgid?.() ?? -1, settings.uid);
  const identity = join(settings.folder, ".identity");
  const gitFile = join(identity, "gitconfig");
  const filterFile = join(settings.folder, ".seccomp-filter");
  const owner = account.credentials.uid === undefined ? undefined : account;
  const places = new Set<NamespacePlace>();
  let proxy: HostProxy | undefined;
  let authority: CertificateAuthority | undefined;
  /** Of this process alone: another one with the same folder has another authority. */
  let doors: OwnedFolder | undefined;
  const placeIn = async (folder: SessionFolder, way: HostProxy | undefined, own?: PlaceView & OwnTrust) => {
    const readable = [...(settings.readable ?? []), ...(own?.readable ?? [])];
    const hidden = [...(settings.hidden ?? []), settings.folder];
    const { files, tmp } = folder;
    const view = await viewArguments({ files, tmp, readable, hidden, identity, gitConfig: gitFile, trust: own?.trust });
    const watch = await LimitWatch.begin(folder.root, limits, clock);
    return new NamespacePlace({
      ...{ account, folder, view, filterFile, limits, watch, proxy: way },
      ...(own?.withSecrets && { withSecrets: own.withSecrets }),
    });
  };
  const secretsIn = (folder: SessionFolder, view: PlaceView | undefined): Pick<OwnTrust, "withSecrets"> => {
    if (authority === undefined || doors === undefined || proxy === undefined) return {};
    const parts = { secrets: settings.secrets ?? [], authority, account, base: doors.path, proxy };
    const own = { keepsTmp: true, readable: view?.readable ?? [], trust: trustFileIn(doors) };
    const placeFor = (way: HostProxy) => placeIn(folder, way, own);
    return { withSecrets: (program, names) => launchWithSecrets(program, names, { ...parts, placeIn: placeFor }) };
  };
  return {
    description: `bubblewrap, as uid ${account.uid}`,
    start: async () => {
      await checkPrograms();
      await prepareBase(settings.folder, account.credentials.uid);
      await writeIdentity(identity, gitConfig(settings.author));
      await replaceFile(filterFile, seccompFilter(process.arch) ?? "");
      if (settings.network !== undefined && settings.network !== "none")
        proxy = await startProxy(settings.network.allow, account);
      if (settings.secrets !== undefined && settings.secrets.length > 0) {
        authority = await createAuthority(clock.now());
        doors = await ownFolder("doors-", settings.folder);
        await writeFile(trustFileIn(doors), await trustBundle(authority));
        await chmod(trustFileIn(doors), 0o644);
      }
      const trial = await NetworkRoom.open(account, undefined).catch(async (cause: unknown) => {
        const { why, remedy } = namespaceTrouble(await readMachine()) ?? {
          why: cause instanceof Error ? cause.message : "bubblewrap could not make a namespace",
          remedy: dockerInstead,
        };
        throw new Lacking(why, remedy, cause);
      });
      await trial.close();
    },
    open: async (sessionKey, own) => {
      const folder = await openSessionFolder(settings.folder, sessionKey, owner, own);
      const view = own ?? { keepsTmp: false, readable: [] };
      const place = await placeIn(folder, proxy, { ...view, ...secretsIn(folder, own) });
      places.add(place);
      return place;
    },
    openCell: (door) => openCell(settings.folder, { account, door, placeIn }),
    stop: async () => {
      await Promise.all([...places].map((place) => place.close()));
      places.clear();
      await proxy?.stop();
      proxy = undefined;
      authority = undefined;
      await doors?.remove();
      doors = undefined;
    },
  };
}

/** What a place has of secrets: the certificates that its programs trust, or the way to run one with secrets. */
interface OwnTrust {
  readonly trust?: string;
  readonly withSecrets?: (program: Program, names: readonly string[]) => Promise<RunningProgram>;
}

interface PlaceParts extends Pick<OwnTrust, "withSecrets"> {
  readonly account: Account;
  readonly folder: SessionFolder;
  readonly view: readonly string[];
  readonly filterFile: string;
  readonly limits: SandboxLimits;
  readonly watch: LimitWatch;
  readonly proxy: HostProxy | undefined;
}

class NamespacePlace implements Place {
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

  async launchWithSecrets(program: Program, names: readonly string[]): Promise<RunningProgram> {
    const { withSecrets } = this.#parts;
    if (this.#isClosed || withSecrets === undefined)
      throw new GatewayError("there are no secrets for commands here: name them in `sandbox.secrets`", {
        code: "unsupported",
      });
    const running = await withSecrets(program, names);
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
  }

  async #start(program: Program, room: number, filter: FileHandle): Promise<RunningProgram> {
    const { account, watch, limits } = this.#parts;
    const mayWrite = watch.excess === undefined;
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
    return { ...child, isOutdated: () => !mayWrite && watch.excess === undefined };
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

function closed(): GatewayError {
  return new GatewayError("the workspace is closed", { code: "unavailable", effect: "none" });
}

/** Variables come through the environment, not as arguments, which every account of the machine can read. */
const namespaceArguments = [
  ...["--unshare-user", "--disable-userns", "--unshare-pid", "--unshare-ipc", "--unshare-uts"],
  ...["--unshare-cgroup-try", "--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--cap-drop", "ALL"],
  ...["--new-session", "--die-with-parent"],
];

const baseVariables = { ...commonVariables(insideFolder), ...ownSystemVariables, [gitVariable]: insideGitConfig };

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

function trustFileIn({ path }: OwnedFolder): string {
  return join(path, "trust.pem");
}

/** Another process with the same folder may be reading it: an empty filter would let everything through. */
async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const next = `${file}.${randomBytes(8).toString("hex")}`;
  await writeFile(next, content);
  await rename(next, file);
}

async function writeIdentity(folder: string, gitconfig: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Whatever the umask of this process is.
  await chmod(folder, 0o755);
  const files = {
    passwd: `agent:x:1000:1000::${insideFolder}:/bin/bash\nnobody:x:65534:65534::/:/usr/sbin/nologin\n`,
    group: "agent:x:1000:\nnogroup:x:65534:\n",
    hosts: "127.0.0.1 localhost sandbox\n::1 localhost\n",
    gitconfig,
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
    await chmod(join(folder, name), 0o644);
  }
}
