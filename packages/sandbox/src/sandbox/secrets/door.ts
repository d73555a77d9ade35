import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Duplex, pipeline } from "node:stream";
import { TLSSocket } from "node:tls";
import { type HandedSecret, putIn, secretsFor } from "@talaria/foreign-content";
import { nameOf, type Ways } from "../egress/ways.ts";
import type { CertificateAuthority } from "./authority.ts";
import { oneAfterTheOther } from "./one-after-the-other.ts";
import { failed, passedOn, relay } from "./relay.ts";
import { openTls, TunnelRefused } from "./tunnel.ts";

export interface DoorParts {
  readonly secrets: readonly HandedSecret[];
  /** Where there are secrets. */
  readonly authority: CertificateAuthority | undefined;
  readonly ways: Ways;
}

export interface CommandDoor {
  /** Does not listen yet. */
  readonly server: Server;
  /** Ends every connection: from then on the handles are worth nothing. */
  close(): void;
}

/** Connections of one command at a time. */
const mostConnections = 64;

/** Where a connection with TLS of ours leads. */
interface Bound {
  readonly host: string;
  readonly port: number;
  /** Both, for comparing. */
  readonly authority: string;
}

/**
 * The proxy of one command. What goes to a secret's host by https it opens, and puts the value in. All else goes on as it is. Both
 * leave through `ways`, which decide what may be reached.
 */
export function createDoor({ secrets, authority, ways }: DoorParts): CommandDoor {
  const open = new Set<Duplex>();
  const bound = new WeakMap<object, Bound>();
  let isClosed = false;
  const keep = <Socket extends Duplex>(socket: Socket): Socket => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    socket.on("error", () => socket.destroy());
    if (isClosed) socket.destroy();
    return socket;
  };
  // It never listens: the connections whose TLS is ours are handed to it.
  const inner = createServer(
    oneAfterTheOther((request, response) => {
      const target = bound.get(request.socket);
      const fault = target === undefined ? "nothing leads here" : faultOf(request, target);
      if (target === undefined || fault !== undefined) failed(response, 421, fault ?? "");
      else void toHost(request, response, target, { secrets, ways, keep });
    }),
  );
  inner.on("upgrade", (_request, socket) => socket.end(refusal("501 Not Implemented")));
  inner.on("connect", (_request, socket) => socket.end(refusal("501 Not Implemented")));
  inner.on("clientError", (_error, socket) => socket.end(refusal("400 Bad Request")));

  const server = createServer(
    oneAfterTheOther((request, response) => {
      void forward(request, response, ways, (opened) => closesWith(keep(opened), response));
    }),
  );
  server.maxConnections = mostConnections;
  server.on("connection", keep);
  server.on("clientError", (_error, socket) => socket.end(refusal("400 Bad Request")));
  server.on("upgrade", (_request, socket) => socket.end(refusal("501 Not Implemented")));
  server.on("connect", (request, socket, head) => {
    const target = boundOf(request.url ?? "");
    if (target === undefined) return void socket.end(refusal("400 Bad Request"));
    const isOurs = authority !== undefined && secretsFor(target.authority, secrets).length > 0;
    const connected = isOurs ? terminate(target, authority, socket, head) : tunnel(target, socket, head);
    return void connected.catch((error: unknown) => {
      const status = error instanceof TunnelRefused ? error.status : 502;
      socket.end(refusal(`${status} Refused`));
    });
  });

  const terminate = async (target: Bound, signer: CertificateAuthority, socket: Duplex, head: Buffer) => {
    const { host } = target;
    const secureContext = await signer.contextFor(host);
    socket.write(established);
    if (head.length > 0) socket.unshift(head);
    const secured = keep(new TLSSocket(socket, { isServer: true, secureContext, ALPNProtocols: ["http/1.1"] }));
    secured.once("secure", () => {
      // A name for somebody else, or none, is no connection to the host.
      if (String(secured.servername).toLowerCase() !== host) return secured.destroy();
      bound.set(secured, target);
      return inner.emit("connection", secured);
    });
  };
  const tunnel = async ({ host, port }: Bound, socket: Duplex, head: Buffer) => {
    const onward = await ways.connect(host, port, (opened) => closesWith(keep(opened), socket));
    socket.write(established);
    if (head.length > 0) socket.unshift(head);
    pipeline(socket, onward, () => onward.destroy());
    pipeline(onward, socket, () => socket.destroy());
  };
  return {
    server,
    close: () => {
      isClosed = true;
      for (const socket of open) socket.destroy();
      if (server.listening) server.close();
    },
  };
}

/** Whoever is gone must not leave a connection behind, also where a host never says anything. */
function closesWith(onward: Duplex, asking: Duplex | ServerResponse): void {
  asking.once("close", () => onward.destroy());
  if (asking.destroyed) onward.destroy();
}

const established = "HTTP/1.1 200 Connection Established\r\n\r\n";

function refusal(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`;
}

/** What a CONNECT names (RFC 9110, 9.3.6). */
function boundOf(text: string): Bound | undefined {
  const [, name = "", digits] = /^([^:[\]/@\s]{1,255}|\[[0-9a-f:.]{2,45}\]):(\d{1,5})$/i.exec(text) ?? [];
  const [host, port] = [name.toLowerCase().replace(/\.$/, ""), Number(digits)];
  return host === "" || port < 1 || port > 65_535 ? undefined : { host, port, authority: `${host}:${port}` };
}

/** A request of http, which names a whole address to a proxy. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  ways: Ways,
  opened: (tunnel: Duplex) => void,
): Promise<void> {
  const { url = "" } = request;
  const address = /^http:\/\//i.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (address === undefined) return failed(response, 400, "this is a proxy: it wants to read a whole address of http");
  try {
    const { headers, ...onward } = await ways.forward(address, opened);
    const all = { ...passedOn(request), host: [address.host], ...headers };
    relay(request, response, { ...onward, headers: all, values: [] });
  } catch (error) {
    const [status, name] = [error instanceof TunnelRefused ? error.status : 502, nameOf(address)];
    failed(response, status, status === 403 ? `${name} is closed to this command` : `${name} can't be reached`);
  }
}

/** Why a request is not one to the host that its connection is for. The value must not go to whatever else is served there. */
function faultOf({ rawHeaders, url = "", method }: IncomingMessage, { host, authority }: Bound): string | undefined {
  const named = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "host");
  const isSame = named.length === 1 && [host, authority].includes(named[0]?.toLowerCase() ?? "");
  if (!isSame) return `a request on a connection to ${host} has to name it as its host, once`;
  const isPath = url.startsWith("/") || (url === "*" && method === "OPTIONS");
  return isPath ? undefined : "a request here has to name a path, not an address";
}

interface Out extends Pick<DoorParts, "secrets" | "ways"> {
  keep<Socket extends Duplex>(socket: Socket): Socket;
}

async function toHost(
  request: IncomingMessage,
  response: ServerResponse,
  { host, port, authority }: Bound,
  { secrets, ways, keep }: Out,
): Promise<void> {
  const { headers, values } = putIn(passedOn(request), secretsFor(authority, secrets));
  // What is encoded can't be looked through.
  if (values.length > 0) headers["accept-encoding"] = ["identity"];
  try {
    const tunnel = await ways.connect(host, port, (opened) => closesWith(keep(opened), response));
    const secured = keep(await openTls(host, tunnel));
    // The runtime's proxy drops what it still has to deliver when a host closes first.
    headers.connection = ["keep-alive"];
    if (response.destroyed) secured.destroy();
    else
      relay(request, response, { headers, values, to: { createConnection: () => secured, path: request.url ?? "/" } });
  } catch {
    failed(response, 502, `${authority} can't be reached, or shows no certificate for its name`);
  }
}
