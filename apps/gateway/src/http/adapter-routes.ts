import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { type ErrorCode, isGatewayError, type Log } from "@talaria/protocol";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type AccessRules, checkBrowser, checkToken } from "./access.ts";
import { limitBody } from "./body-time.ts";
import { checkPreflight, crossOriginHeaders } from "./cross-origin.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import type { RouteMatch, RouteTable } from "./route-table.ts";
import { UnprovenRequests } from "./unproven-requests.ts";
import { toWebRequest } from "./web-request.ts";

export interface AdapterRouteDeps {
  readonly routes: RouteTable;
  readonly rules: AccessRules;
  readonly log: Log;
  /** Timeout for the body of a request that is not authenticated yet. Default 5 s. */
  readonly unprovenBodyMs?: number;
}

/** Serves the routes of all adapters below `/webhooks`, `/platforms` and `/api`. Bodies reach the adapter unread. */
export function serveAdapterRoutes(server: FastifyInstance, deps: AdapterRouteDeps): void {
  const { routes, rules } = deps;
  const serveSigned = limitUnproven(deps.unprovenBodyMs);
  const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.raw.url?.split("?")[0] ?? "/";
    const asked = checkPreflight(request.method, request.headers, rules);
    const match = routes.match(asked ?? request.method, path);
    if (match === undefined && routes.isExpected(path))
      return refuse(reply.header("retry-after", "1"), 503, "not connected yet: try again");
    if (match === undefined) return refuse(reply, 404, "no such route");
    if ("allowed" in match)
      return refuse(reply.header("allow", match.allowed.join(", ")), 405, "this route does not support this method");
    if (match.route.auth === "bearer")
      return serveBearer(match, request, reply, { rules, asksOnly: asked !== undefined });
    if (asked !== undefined) return refuse(reply, 403, "pages may not call this route");
    return serveSigned(match, request, reply);
  };
  const guarded = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    try {
      return await serve(request, reply);
    } catch (error) {
      return fail(error, reply, deps.log);
    }
  };
  for (const url of ["/webhooks/*", "/platforms/*", "/api/*"]) server.all(url, guarded);
}

async function serveBearer(
  { route, params }: RouteMatch,
  request: FastifyRequest,
  reply: FastifyReply,
  { rules, asksOnly }: { readonly rules: AccessRules; readonly asksOnly: boolean },
): Promise<FastifyReply> {
  const { headers } = request;
  reply.headers(crossOriginHeaders(headers, rules));
  const refusal = checkBrowser(headers, rules) ?? (asksOnly ? undefined : checkToken(headers, rules));
  if (refusal?.status === 401) reply.header("www-authenticate", "Bearer");
  if (refusal !== undefined) return refuse(reply, refusal.status, refusal.error);
  if (asksOnly) return reply.code(204).send();
  if (route.bodyMs !== undefined) limitBody(request.raw, reply.raw, route.bodyMs);
  return answer(reply, await route.handle(toWebRequest(request, reply), params));
}

const defaultBodyMs = 5_000;

function limitUnproven(bodyMs = defaultBodyMs) {
  const failed = new FailedAttempts();
  const requests = new UnprovenRequests();
  return async ({ route, params }: RouteMatch, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const source = request.ip;
    const respond = (response: Response) => {
      if (response.status === 401 && failed.note(source, performance.now()))
        return refuse(reply.header("retry-after", "60"), 429, "too many attempts without a valid proof");
      return answer(reply, response);
    };
    const converted = toWebRequest(request, reply);
    const isProven = route.provenByHeaders?.(converted.headers);
    if (isProven === true) return respond(await route.handle(converted, params));
    if (isProven === false) {
      reply.header("connection", "close");
      return respond(Response.json({ error: "the proof in the headers is missing or wrong" }, { status: 401 }));
    }
    if (!requests.enter(route.path, source))
      return refuse(reply.header("retry-after", "1"), 503, "too many requests at once");
    const late = Promise.withResolvers<Response>();
    const slow = setTimeout(() => {
      if (!request.raw.complete) late.resolve(tooSlow(request, reply));
    }, bodyMs);
    try {
      return await respond(await Promise.race([route.handle(converted, params), late.promise]));
    } finally {
      clearTimeout(slow);
      requests.leave(route.path, source);
    }
  };
}

/** Closes the connection after the response, which also ends reading the body. */
function tooSlow(request: FastifyRequest, reply: FastifyReply): Response {
  reply.header("connection", "close");
  reply.raw.once("finish", () => request.raw.destroy());
  return Response.json({ error: "the body took too long to arrive" }, { status: 408 });
}

async function answer(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status);
  for (const [name, value] of response.headers) reply.header(name, value);
  reply.header("x-content-type-options", "nosniff");
  if (response.body === null) return reply.send();
  const isStream = response.headers.has("content-length") || isEvents(response);
  if (!isStream) return reply.send(Buffer.from(await response.arrayBuffer()));
  return reply.send(Readable.fromWeb(response.body as NodeReadableStream));
}

function isEvents({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Errors that the caller can fix. All others are answered with 503. */
const statuses: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  unsupported: 415,
  rate_limited: 429,
};

/** Asks the platform to retry. The cause is logged and not sent. */
function fail(error: unknown, reply: FastifyReply, log: Log): FastifyReply {
  const status = isGatewayError(error) ? statuses[error.code] : undefined;
  if (!isGatewayError(error) || status === undefined) {
    log.warn({ error }, "a request could not be served");
    return refuse(reply.header("retry-after", "5"), 503, "the server can't save anything at the moment: try again");
  }
  if (status === 413) reply.header("connection", "close");
  if (status === 429) reply.header("retry-after", String(Math.ceil((error.retryAfterMs ?? 1_000) / 1_000)));
  return refuse(reply, status, error.message);
}

function refuse(reply: FastifyReply, status: number, error: string): FastifyReply {
  return reply.code(status).send({ error });
}
