import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { AddressGuard } from "@talaria/foreign-content";
import { GatewayError, isGatewayError } from "@talaria/protocol";

/** Of one browser, in both directions together. */
const mostBytes = 1_000_000_000;
const mostConnections = 64;
const connectMs = 20_000;
const quietMs = 120_000;

/** Headers that mean one connection alone (RFC 9110, section 7.6.1), and those for a proxy. */
const ownHeaders: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Where Chromium looks for updates of its own parts, whatever its switches say (`component_updater` and `optimization_guide` in
 * its source). No page asked for it, so it is no page's trouble either.
 */
const ownHosts: ReadonlySet<string> = new Set([
  "update.googleapis.com",
  "edgedl.me.gvt1.com",
  "optimizationguide-pa.googleapis.com",
]);

export interface GuardedProxy {
  /** Does not listen yet. */
  readonly server: Server;
  /** Why a connection was refused or could not be made since the last `forget`: the newest reason. */
  readonly trouble: GatewayError | undefined;
  forget(): void;
  /** Cuts every connection. */
  cut(): void;
}

/**
 * An HTTP proxy (RFC 9110, sections 7.7 and 9.3.6) that connects only where the guard of `web_fetch` would. It resolves names
 * itself, for each connection, so neither a redirect, a script nor a name that changes leads a browser into a private network. It
 * serves ports 80, 443 and those from 1024 on: other servers than those of the web are not for pages to talk to.
 */
export function createGuardedProxy(guard: AddressGuard, limits: { readonly bytes?: number } = {}): GuardedProxy {
  const most = limits.bytes ?? mostBytes;
  const sockets = new Set<Duplex>();
  let bytes = 0;
  let trouble: GatewayError | undefined;

  const keep = (socket: Duplex) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
  };
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const count = (socket: Duplex) =>
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > most) cut();
    });
  const checkTarget = async (host: string, port: number) => {
    if (ownHosts.has(host)) throw refused(`${host} is none that a page asks for`);
    if (bytes > most) throw refused(`this browser has loaded more than ${most} bytes: close it and begin anew`);
    if (port < 1_024 && port !== 80 && port !== 443) throw refused(`port ${port} of ${host} is none of the web`);
    await guard.check(host);
  };
  /** The status that tells a browser. */
  const statusOf = (error: unknown, host: string) => {
    if (ownHosts.has(host)) return 403;
    trouble = isGatewayError(error) ? error : unreachable(host, error);
    return trouble.code === "forbidden" ? 403 : 502;
  };
  const tunnel = async (asked: string, client: Duplex, head: Buffer) => {
    const target = URL.canParse(`http://${asked}`) ? new URL(`http://${asked}`) : undefined;
    if (target === undefined || target.pathname !== "/") return client.end(emptyAnswer(400));
    // `URL` leaves the port out where it is the scheme's own.
    const port = Number(target.port || 80);
    try {
      await checkTarget(target.hostname, port);
      const server = await connected(target.hostname, port, guard);
      keep(server);
      for (const socket of [client, server]) count(socket);
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      server.write(head);
      client.pipe(server).pipe(client);
      client.once("close", () => server.destroy());
      server.once("close", () => client.destroy());
    } catch (error) {
      client.end(emptyAnswer(statusOf(error, target.hostname)));
    }
  };
  const forward = async (request: IncomingMessage, response: ServerResponse) => {
    const { url = "", method } = request;
    const target = url.startsWith("http://") && URL.canParse(url) ? new URL(url) : undefined;
    if (target === undefined) return void response.writeHead(400).end();
    const fail = (error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(statusOf(error, target.hostname), { connection: "close" }).end();
    };
    try {
      const port = Number(target.port || 80);
      await checkTarget(target.hostname, port);
      const options = { host: bare(target.hostname), port, method, path: `${target.pathname}${target.search}` };
      const passed = openRequest({
        ...options,
        agent: false,
        lookup: guard.lookup,
        headers: passedOn(request.headers),
      });
      passed.on("socket", (socket) => {
        keep(socket);
        count(socket);
        socket.setTimeout(quietMs, () => socket.destroy());
      });
      passed.on("error", fail);
      passed.on("response", (answer) => {
        response.writeHead(answer.statusCode ?? 502, passedOn(answer.headers));
        answer.on("error", fail);
        answer.pipe(response);
      });
      response.once("close", () => passed.destroy());
      request.pipe(passed);
    } catch (error) {
      fail(error);
    }
  };

  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) => void forward(request, response));
  server.maxConnections = mostConnections;
  server.on("connection", keep);
  server.on("connect", ({ url = "" }, client: Duplex, head: Buffer) => void tunnel(url, client, head));
  return {
    server,
    get trouble() {
      return trouble;
    },
    forget: () => {
      trouble = undefined;
    },
    cut,
  };
}

async function connected(host: string, port: number, guard: AddressGuard): Promise<Socket> {
  const socket = connect({ host: bare(host), port, lookup: guard.lookup, signal: AbortSignal.timeout(connectMs) });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  socket.setTimeout(quietMs, () => socket.destroy());
  return socket;
}

/** Without the brackets of an IPv6 address. */
function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

function passedOn(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const named = new Set((headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !ownHeaders.has(name) && !named.has(name)));
}

function emptyAnswer(status: number): string {
  return `HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
}

function refused(message: string): GatewayError {
  return new GatewayError(message, { code: "forbidden", effect: "none" });
}

function unreachable(host: string, cause: unknown): GatewayError {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "the connection failed";
  return new GatewayError(`${host} could not be reached: ${code}`, { code: "unavailable", effect: "none", cause });
}
