import { randomBytes } from "node:crypto";
import { chmod, mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, isGatewayError } from "@talaria/protocol";
import type { BaseSettings, NamespaceSettings, SandboxLimits } from "../config.ts";
import { openSessionFolder, prepareBase, type SessionFolder } from "../host-folder.ts";
import { LimitWatch } from "../limit-watch.ts";
import { type OwnedFolder, ownFolder } from "../owned-folder.ts";
import type { Backend, PlaceView } from "../place.ts";
import { gitConfig } from "../surroundings.ts";
import { Lacking } from "../workplace/lacking.ts";
import { readMachine } from "../workplace/machine.ts";
import { checkPrograms } from "../workplace/missing-programs.ts";
import { dockerInstead, namespaceTrouble } from "../workplace/namespace-remedy.ts";
import { accountFor } from "./account.ts";
import { openCell } from "./cell.ts";
import { launchApart } from "./egress/apart.ts";
import { openSessionDoor, type SessionDoor } from "./egress/session-door.ts";
import type { WaysParts } from "./egress/ways.ts";
import { NamespacePlace, type PlaceParts } from "./namespace-place.ts";
import { NetworkRoom, socat } from "./network-room.ts";
import { type HostProxy, startProxy } from "./proxy.ts";
import { seccompFilter } from "./seccomp.ts";
import { type CertificateAuthority, createAuthority, trustBundle } from "./secrets/authority.ts";
import { insideFolder, viewArguments } from "./view.ts";

/**
 * Bubblewrap, called directly: Anthropic's sandbox runtime wraps it too, but shows the whole file system except what is
 * listed, hands on the worker's environment, and gives each command a network of its own. Its proxy is what we take of it.
 */
export async function createNamespaceBackend(
  settings: NamespaceSettings & BaseSettings,
  limits: SandboxLimits,
  clock: Clock,
  addresses?: WaysParts["addresses"],
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
  let hasSocat = false;
  const open = settings.network === undefined || settings.network === "none" ? [] : settings.network.allow;
  const placeIn = async (folder: SessionFolder, way: HostProxy | undefined, own?: PlaceView & OwnParts) => {
    const readable = [...(settings.readable ?? []), ...(own?.readable ?? [])];
    const hidden = [...(settings.hidden ?? []), settings.folder];
    const { files, tmp } = folder;
    const view = await viewArguments({ files, tmp, readable, hidden, identity, gitConfig: gitFile, trust: own?.trust });
    const watch = await LimitWatch.begin(folder.root, limits, clock);
    return new NamespacePlace({
      ...{ account, folder, view, filterFile, limits, watch, proxy: way },
      ...(own?.apart && { apart: own.apart }),
      ...(own?.door && { door: own.door }),
    });
  };
  /** Without it, commands have no network, and nobody hears of what they tried. */
  const doorFor = async (isOpen: boolean): Promise<SessionDoor | undefined> => {
    if (doors === undefined || !hasSocat) return undefined;
    const parts = { hosts: isOpen ? open : [], open, proxy, addresses, account, base: doors.path };
    return await openSessionDoor(parts).catch((error: unknown) => {
      if (isGatewayError(error, "unsupported") && !isOpen) return undefined;
      throw error;
    });
  };
  const apartIn = (folder: SessionFolder, view: PlaceView | undefined): Pick<OwnParts, "apart"> => {
    if (doors === undefined || !hasSocat) return {};
    const parts = {
      secrets: settings.secrets ?? [],
      open,
      proxy,
      addresses,
      authority,
      account,
      clock,
      base: doors.path,
    };
    const trust = authority === undefined ? {} : { trust: trustFileIn(doors) };
    const own = { keepsTmp: true, readable: view?.readable ?? [], ...trust };
    const placeFor = (way: HostProxy) => placeIn(folder, way, own);
    return { apart: (program, apart) => launchApart(program, apart, { ...parts, placeIn: placeFor }) };
  };
  return {
    description: `bubblewrap, as uid ${account.uid}`,
    start: async () => {
      await checkPrograms();
      await prepareBase(settings.folder, account.credentials.uid);
      await writeIdentity(identity, gitConfig(settings.author));
      await replaceFile(filterFile, seccompFilter(process.arch) ?? "");
      hasSocat = await isFile(socat);
      if (open.length > 0) proxy = await startProxy(open, account);
      doors = await ownFolder("doors-", settings.folder);
      if (settings.secrets !== undefined && settings.secrets.length > 0) {
        authority = await createAuthority(clock.now());
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
      const door = await doorFor(own?.isOpen === true);
      const place = await placeIn(folder, door?.way, { ...view, ...(door && { door }), ...apartIn(folder, own) });
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

/** What a place has besides: the certificates that its programs trust, its own door, the way to run one with a network of its own. */
interface OwnParts extends Pick<PlaceParts, "door" | "apart"> {
  readonly trust?: string;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (file) => file.isFile(),
    () => false,
  );
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
