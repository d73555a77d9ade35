import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { Transform } from "node:stream";
import { GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import { type Store, tokenDigest } from "@talaria/store";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type AccessRules, bearerOf, checkBrowser } from "../http/access.ts";
import { FailedAttempts } from "../http/failed-attempts.ts";
import { askWorker, type DoorPath } from "./ask-worker.ts";
import { CallerRate } from "./caller-rate.ts";
import { Revocations } from "./revocations.ts";

/** As the worker says it, too. */
const mostRequestBytes = 1_048_576;
const mostTokenChars = 256;
/** RFC 6750, 3. The token is not one of OAuth, so that no metadata is named. */
const challenge = 'Bearer realm="talaria mcp"';
const wrongChallenge = `${challenge}, error="invalid_token"`;

export interface McpRouteDeps {
  readonly mcpTokens: Pick<Store["mcpTokens"], "find" | "living" | "used">;
  readonly doorPath: DoorPath;
  readonly rules: AccessRules;
  readonly log: Log;
}

/**
 * `/mcp`: our tools over Streamable HTTP of MCP, for programs with a token of their own. Everything about the request's sender is
 * looked at before its body is read; a worker answers it. Nothing is kept between requests, so that there are no sessions to
 * guess, to end or to resume: `GET` and `DELETE` are refused, as the specification wants it then.
 */
export function serveMcp(server: FastifyInstance, deps: McpRouteDeps): { stop(): void } {
  const failed = new FailedAttempts();
  const rate = new CallerRate();
  const revocations = new Revocations(deps.mcpTokens, deps.log);
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
    const refusal = checkBrowser(request.headers, deps.rules);
    if (refusal !== undefined) return refuse(reply, refusal.status, refusal.error);
    const digest = await identify(request, deps);
    if (digest === undefined) return refuseUnknown(request, reply, failed);
    if (request.method !== "POST") return refuse(reply.header("allow", "POST"), 405, "only POST is supported");
    if (Number(request.headers["content-length"] ?? 0) > mostRequestBytes) return tooLarge(reply);
    const full = rate.enter(digest, performance.now());
    if (full !== undefined) return refuse(reply.header("retry-after", "5"), 429, full);
    const ending = new AbortController();
    revocations.watch(digest, ending);
    const leave = () => {
      ending.abort();
      revocations.forget(ending);
      rate.leave(digest);
    };
    if (reply.raw.destroyed) leave();
    else reply.raw.once("close", leave);
    await deps.mcpTokens.used(digest);
    return await forward(request, reply, deps.doorPath, ending.signal);
  };
  server.all("/mcp", async (request, reply) => {
    try {
      return await answer(request, reply);
    } catch (error) {
      if (isGatewayError(error, "too_large")) return tooLarge(reply);
      if (reply.raw.destroyed) deps.log.debug({ error }, "a caller broke off");
      else deps.log.warn({ error }, "a request to /mcp could not be answered");
      const text = isGatewayError(error, "unavailable") ? error.message : "not now: try again";
      return refuse(reply.header("retry-after", "5"), 503, text);
    }
  });
  return { stop: () => revocations.stop() };
}

/** The digest of a token that is not revoked. */
async function identify({ headers }: FastifyRequest, { mcpTokens }: McpRouteDeps): Promise<string | undefined> {
  const token = bearerOf(headers);
  if (token === undefined || token.length > mostTokenChars) return undefined;
  const digest = tokenDigest(token);
  return (await mcpTokens.find(digest)) === undefined ? undefined : digest;
}

function refuseUnknown(request: FastifyRequest, reply: FastifyReply, failed: FailedAttempts): FastifyReply {
  const isWrong = bearerOf(request.headers) !== undefined;
  if (isWrong && failed.note(request.ip, performance.now()))
    return refuse(reply.header("retry-after", "60"), 429, "too many attempts without a valid token");
  reply.header("www-authenticate", isWrong ? wrongChallenge : challenge);
  return refuse(reply, 401, "a token of `talaria mcp token` is needed");
}

async function forward(
  request: FastifyRequest,
  reply: FastifyReply,
  doorPath: DoorPath,
  signal: AbortSignal,
): Promise<FastifyReply> {
  const body = request.raw.pipe(bounded());
  const headers = passedOn(request.headers);
  const excess = Promise.withResolvers<never>();
  body.once("error", excess.reject);
  const asked = askWorker(doorPath, { method: "POST", path: "/mcp", headers, body }, signal);
  const answered = await Promise.race([asked, excess.promise]).catch((error: unknown) => {
    asked.catch(() => undefined);
    throw error;
  });
  excess.promise.catch(() => undefined);
  signal.addEventListener("abort", () => end(answered, reply), { once: true });
  if (signal.aborted) end(answered, reply);
  reply.code(answered.statusCode ?? 502);
  for (const name of ["content-type", "content-length", "allow", "www-authenticate", "mcp-protocol-version"]) {
    const value = answered.headers[name];
    if (value !== undefined) reply.header(name, value);
  }
  return reply.send(answered);
}

/** A revoked token gets no further byte. */
function end(answered: IncomingMessage, reply: FastifyReply): void {
  answered.destroy();
  reply.raw.destroy();
}

/** What the protocol says in headers; who sent them was looked at already. */
function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  const known = ["accept", "content-type", "authorization", "last-event-id"];
  const passed = Object.entries(headers).filter(([name]) => known.includes(name) || name.startsWith("mcp-"));
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}

function bounded(): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      length += chunk.length;
      if (length <= mostRequestBytes) done(null, chunk);
      else done(new GatewayError("the request is too large", { code: "too_large" }));
    },
  });
}

function tooLarge(reply: FastifyReply): FastifyReply {
  return refuse(reply.header("connection", "close"), 413, `at most ${mostRequestBytes} bytes`);
}

function refuse(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ error });
}
