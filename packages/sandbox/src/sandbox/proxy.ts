import { chown } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { GatewayError } from "@talaria/protocol";
import type { Account } from "./account.ts";

/** The runtime keeps its settings after a reset, so it can't be asked. */
let isTaken = false;

/** Where commands find it. */
export const proxyPort = 3128;

/** The runtime leaves its relay behind where its process is killed. */
const endingSocat = fileURLToPath(new URL("ending-socat.sh", import.meta.url));

export interface HostProxy {
  /** A socket of this machine that speaks HTTP's proxy protocol. */
  readonly socket: string;
  /** What tells a command's programs of it. */
  readonly variables: Readonly<Record<string, string>>;
  /** What it wants to read in `Proxy-Authorization`. Default: nothing. */
  readonly authorization?: string;
  stop(): Promise<void>;
}

/**
 * The proxy of Anthropic's sandbox runtime: it resolves names itself, refuses private and local addresses also behind a
 * name, and lets through the allowed hosts alone. The runtime has one for each process and keeps its settings in it, so a
 * process has one sandbox with a network at a time.
 */
export async function startProxy(allow: readonly string[], account: Account): Promise<HostProxy> {
  if (isTaken) throw new GatewayError("another sandbox of this process has the proxy already", { code: "unsupported" });
  isTaken = true;
  return await start(allow, account).catch((error: unknown) => {
    isTaken = false;
    throw error;
  });
}

async function start(allow: readonly string[], account: Account): Promise<HostProxy> {
  const { SandboxManager: runtime } = await import("@anthropic-ai/sandbox-runtime");
  const network = { allowedDomains: [...allow], deniedDomains: [] };
  const filesystem = { denyRead: [], allowWrite: [], denyWrite: [] };
  await runtime.initialize({ network, filesystem, socatPath: endingSocat });
  const [socket, token] = [runtime.getLinuxHttpSocketPath(), runtime.getProxyAuthToken()];
  if (socket === undefined) {
    await runtime.reset();
    throw new GatewayError("the runtime's proxy did not start; install socat and ripgrep", { code: "unsupported" });
  }
  if (account.credentials.uid !== undefined) await chown(socket, account.uid, account.gid);
  const login = `srt:${token ?? ""}`;
  return {
    socket,
    variables: proxyVariables(`${login}@`),
    authorization: `Basic ${Buffer.from(login).toString("base64")}`,
    stop: async () => {
      await runtime.reset();
      isTaken = false;
    },
  };
}

/** `login`: empty, or `user:password@`. */
export function proxyVariables(login: string): Readonly<Record<string, string>> {
  const url = `http://${login}127.0.0.1:${proxyPort}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
  const local = "localhost,127.0.0.1,::1";
  return { ...Object.fromEntries(names.map((name) => [name, url])), NO_PROXY: local, no_proxy: local };
}
