import { METHODS } from "node:http";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { TalariaConfig } from "@talaria/config";
import { GatewayError, type Log } from "@talaria/protocol";
import fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from "fastify";
import { type AccessRules, nameOf } from "./access.ts";
import { limitBody } from "./body-time.ts";

/** How often the server checks for requests that take too long. */
const slowCheckMs = 1_000;

const noTunnel = "HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

export interface ServerOptions {
  /**
   * Timeout for a complete request: slow senders must not keep sockets open. A route may give those more time who have the token.
   * Default 10 s.
   */
  readonly requestTimeoutMs?: number;
  /** Proxies whose `X-Forwarded-For` names the source of a request. From anybody else it counts for nothing. */
  readonly trustedProxies?: readonly string[];
}

/** A server that reads nothing by itself: bodies stay streams, paths stay as they were sent. */
export function createServer(
  log: Log,
  { requestTimeoutMs = 10_000, trustedProxies = [] }: ServerOptions = {},
): FastifyInstance {
  const server = fastify({
    logger: false,
    requestTimeout: 0,
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    http: {
      headersTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(slowCheckMs, requestTimeoutMs),
    },
    keepAliveTimeout: 65_000,
    routerOptions: { caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 1_024 },
    forceCloseConnections: true,
    return503OnClosing: true,
    frameworkErrors: (_error, _request, reply: FastifyReply) => {
      reply.code(400).send({ error: "the address of this request cannot be read" });
    },
  });
  server.addHook("onRequest", (request, reply, done) => {
    limitBody(request.raw, reply.raw, requestTimeoutMs);
    done();
  });
  // With two host names, a proxy and this server might each use a different one.
  server.addHook("onRequest", (request, reply, done) => {
    const hosts = request.raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
    if (hosts.length > 1) reply.code(400).send({ error: "this request names two hosts" });
    else done();
  });
  // Every method reaches a route, so that an unsupported one gets a 405.
  for (const method of METHODS) if (!server.supportedMethods.includes(method)) server.addHttpMethod(method);
  // Node.js would close a tunnel's connection without a word.
  server.server.on("connect", (_request, socket) => refuseTunnel(socket));
  server.removeAllContentTypeParsers();
  server.addContentTypeParser("*", (_request, _payload, done) => done(null));
  server.setNotFoundHandler((_request, reply) => reply.code(404).send({ error: "no such route" }));
  server.setErrorHandler((error: FastifyError, _request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode < 500) return reply.code(statusCode).send({ error: error.message });
    log.warn({ error }, "a request could not be served");
    return reply.code(500).send({ error: "this request could not be served" });
  });
  return server;
}

/** Nobody else listens to this socket any more, and its other side may never close it. */
function refuseTunnel(socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  socket.end(noTunnel, () => socket.destroy());
}

/** Resolves with the address. Throws `unavailable`, with what an operator can do, when it can't listen there. */
export async function listen(server: FastifyInstance, { host, port }: TalariaConfig["gateway"]): Promise<string> {
  try {
    return await server.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const remedy =
      code === "EADDRINUSE"
        ? `port ${port} on ${host} is in use: stop what listens there, such as the installation that this one is a copy of (\`talaria stop\` where it runs), or set gateway.port`
        : `cannot listen on ${host}:${port} (${String(code)}): check gateway.host and gateway.port`;
    throw new GatewayError(remedy, { code: "unavailable", cause: error });
  }
}

/** Hosts and origins that may use the operator's rights. On loopback only its own names: others come from DNS rebinding. */
export function accessRules(config: TalariaConfig, token: string): AccessRules {
  const { host, publicUrl, allowedHosts, allowedOrigins } = config.gateway;
  const named = [...allowedHosts, ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname])];
  const open = !isLoopback(host) && named.length === 0;
  const own = isIP(host) === 6 ? `[${host}]` : host;
  const hosts = new Set([...loopbackNames, own, ...named].map(nameOf));
  const origins = new Set([...allowedOrigins, ...(publicUrl ? [publicUrl] : [])].map((url) => new URL(url).origin));
  return { token, hosts: open ? undefined : hosts, origins };
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"];

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}
