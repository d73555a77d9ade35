import { randomInt } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { type DataFolder, userName } from "./cluster.ts";

/**
 * Where the server listens. `socket`: only on a Unix socket in the cluster's private folder; the port is part of the
 * socket's name. `tcp`: only on 127.0.0.1.
 */
export interface Address {
  readonly kind: "socket" | "tcp";
  readonly port: number;
}

const socketPort = 5_432;
/** Longest path of a Unix socket in bytes, from `sun_path` in <sys/un.h> without its final zero byte. */
const longestSocketPath = process.platform === "linux" ? 107 : 103;
/** Ports from here up to the ephemeral ones: no program gets one of them by asking for any free port. */
const lowestPort = 20_000;
const portAttempts = 50;

/** A Unix socket where the system and the path allow one, else a TCP port. */
export async function chooseAddress(folder: DataFolder, forced: Address["kind"] | undefined): Promise<Address> {
  const kind = forced ?? (fitsSocket(folder) ? "socket" : "tcp");
  return kind === "socket" ? { kind, port: socketPort } : { kind, port: await choosePort(folder.portFile) };
}

export async function rememberAddress(folder: DataFolder, { kind, port }: Address): Promise<void> {
  if (kind === "tcp") await writeFile(folder.portFile, String(port), { mode: 0o600 });
}

/** The settings for this address; the port is a separate argument of the server. */
export function addressSettings({ kind }: Address): Readonly<Record<string, string>> {
  if (kind === "tcp") return { listen_addresses: "127.0.0.1", unix_socket_directories: "" };
  return { listen_addresses: "", unix_socket_directories: ".", unix_socket_permissions: "0700" };
}

/**
 * A connection string that node-postgres and libpq read alike: the parameter `host`, an absolute folder, replaces the
 * host name, and the port is the last part of the socket's name.
 */
export function urlOf(folder: DataFolder, { kind, port }: Address, password: string, database: string): string {
  const login = `postgres://${userName}:${password}`;
  if (kind === "tcp") return `${login}@127.0.0.1:${port}/${database}`;
  return `${login}@localhost:${port}/${database}?host=${encodeURIComponent(folder.cluster)}`;
}

function fitsSocket(folder: DataFolder): boolean {
  const path = join(folder.cluster, `.s.PGSQL.${socketPort}`);
  return process.platform !== "win32" && Buffer.byteLength(path) <= longestSocketPath;
}

/** The port the server had last time if it is free, so that clients survive a restart; else a free one. */
async function choosePort(portFile: string): Promise<number> {
  const last = Number(await readFile(portFile, "utf8").catch(() => "0"));
  if (Number.isInteger(last) && last > 0 && last < 65_536 && (await bind(last)) !== undefined) return last;
  const end = await firstEphemeralPort();
  for (let attempt = 0; attempt < portAttempts && end > lowestPort; attempt += 1) {
    const port = await bind(lowestPort + randomInt(end - lowestPort));
    if (port !== undefined) return port;
  }
  const any = await bind(0);
  if (any === undefined) throw new Error("the system has no free port on 127.0.0.1");
  return any;
}

/** The system hands out ports from here on to any program. The default of Linux is the lowest one in use. */
async function firstEphemeralPort(): Promise<number> {
  const range = await readFile("/proc/sys/net/ipv4/ip_local_port_range", "utf8").catch(() => "");
  return Number.parseInt(range, 10) || 32_768;
}

function bind(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === "object" ? address.port : undefined));
    });
  });
}
