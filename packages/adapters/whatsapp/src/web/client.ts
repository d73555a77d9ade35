import type { AdapterStore } from "@talaria/adapter";
import type { Log } from "@talaria/protocol";
import { Credentials, type KeyCodec } from "./credentials.ts";
import { type Baileys, loadBaileys } from "./load-baileys.ts";
import type { LinkSocket } from "./socket.ts";

export interface OpenSocketOptions {
  readonly store: AdapterStore;
  readonly log: Log;
  /** Without it the version that the service runs now is asked for. */
  readonly webVersion?: string | undefined;
  readonly proxy?: URL | undefined;
  /** Only tests go anywhere else: TLS is all that proves the server. */
  readonly endpoint?: string;
}

/** A socket that is connecting, and what belongs to it. */
export interface OpenedSocket {
  readonly socket: LinkSocket;
  readonly credentials: Credentials;
  /** Whether a device is linked, as far as the credentials say. */
  readonly isLinked: boolean;
  /** Stores the credentials as they are now. */
  readonly saveCreds: () => Promise<void>;
}

export type OpenSocket = (options: OpenSocketOptions) => Promise<OpenedSocket>;

/** Loads Baileys and connects with the credentials of the store, or new ones. */
export const openBaileysSocket: OpenSocket = async ({ store, log, webVersion, proxy, endpoint }) => {
  const baileys = await loadBaileys();
  const codec: KeyCodec = {
    write: (value) => JSON.stringify(value, baileys.BufferJSON.replacer),
    read: (text) => JSON.parse(text, baileys.BufferJSON.reviver),
  };
  const credentials = new Credentials(store, codec);
  const stored = await credentials.readCreds();
  const creds = (stored ?? baileys.initAuthCreds()) as ReturnType<typeof baileys.initAuthCreds>;
  const agents = await agentsOf(proxy);
  const logger = quietLogger(log);
  const socket = baileys.makeWASocket({
    auth: {
      creds,
      keys: {
        get: async (type, ids) => {
          const found = await credentials.get(type, ids);
          if (type === "app-state-sync-key")
            for (const [id, value] of Object.entries(found))
              found[id] = baileys.proto.Message.AppStateSyncKeyData.fromObject(value as object);
          return found as never;
        },
        set: (data) => credentials.set(data),
      },
    },
    version: webVersion === undefined ? await versionNow(baileys) : versionOf(webVersion),
    ...(endpoint === undefined ? {} : { waWebSocketUrl: endpoint }),
    ...agents,
    logger: logger as never,
    browser: baileys.Browsers.ubuntu("Talaria"),
    emitOwnEvents: false,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    shouldSyncHistoryMessage: () => false,
    shouldIgnoreJid: (jid) => /@(?:broadcast|newsletter)$/.test(jid),
    generateHighQualityLinkPreview: false,
  });
  return {
    socket: socket as unknown as LinkSocket,
    credentials,
    isLinked: creds.me !== undefined && creds.account !== undefined,
    saveCreds: () => credentials.writeCreds(creds),
  };
};

/** Falls back to the version that the library was released with. */
async function versionNow(baileys: Baileys): Promise<[number, number, number]> {
  return (await baileys.fetchLatestWaWebVersion({ signal: AbortSignal.timeout(10_000) })).version;
}

function versionOf(text: string): [number, number, number] {
  const [major = 2, minor = 3_000, patch = 0] = text.split(".").map(Number);
  return [major, minor, patch];
}

async function agentsOf(proxy: URL | undefined): Promise<object> {
  if (proxy === undefined) return {};
  const { keptAliveAgent } = await import("@talaria/adapter-kit");
  const agent = keptAliveAgent({ isSecure: true, idleMs: 60_000 }, proxy);
  return { agent, fetchAgent: agent };
}

/** The library logs keys and people's words at every level but the highest two, and there as objects: only the sentence passes. */
function quietLogger(log: Log) {
  const ignore = () => undefined;
  const pass = (write: Log["warn"]) => (_fields: unknown, sentence?: string) => {
    if (typeof sentence === "string") write({ reason: sentence.slice(0, 200) }, "the whatsapp web client says");
  };
  const logger = {
    level: "warn",
    child: () => logger,
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: pass(log.debug),
    error: pass(log.debug),
    fatal: pass(log.warn),
  };
  return logger;
}
