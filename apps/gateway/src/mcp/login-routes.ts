import { readBody } from "@talaria/adapter-kit";
import type { TalariaConfig } from "@talaria/config";
import { type ErrorCode, GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { type AccessRules, checkBrowser, checkToken } from "../http/access.ts";
import { toWebRequest } from "../http/web-request.ts";
import { askWorkerJson, type DoorPath } from "./ask-worker.ts";
import { serverViews } from "./server-views.ts";

const mostBytes = 16_384;
/** The page that logins send the browser back to. It is the console's, and ends the login with the console's token. */
const callbackPath = "/console/login.html";

const beginSchema = z.strictObject({ server: z.string().max(64), isAnew: z.boolean().optional() });
const trustSchema = z.strictObject({ server: z.string().max(64), origin: z.string().max(2_048), trusts: z.boolean() });
const finishSchema = z.strictObject({ parameters: z.string().max(8_192) });

export interface LoginRouteDeps {
  readonly servers: TalariaConfig["mcp"]["servers"];
  readonly publicUrl: string | undefined;
  readonly processes: Pick<Store["processes"], "list">;
  readonly doorPath: DoorPath;
  readonly rules: AccessRules;
  readonly log: Log;
}

/**
 * `/api/mcp`: MCP servers, how they are, and logins to them, for whoever holds the gateway's token. A worker makes the logins and
 * keeps what they give; addresses with one-time codes pass through here, and no token does.
 */
export function serveLogins(server: FastifyInstance, deps: LoginRouteDeps): void {
  const ask = async (
    method: "GET" | "POST",
    path: string,
    value: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => await askWorkerJson(deps.doorPath, method, path, value, toSignal(request, reply));
  const guarded =
    (work: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      reply.header("cache-control", "no-store").header("x-content-type-options", "nosniff");
      const refusal = checkBrowser(request.headers, deps.rules) ?? checkToken(request.headers, deps.rules);
      if (refusal?.status === 401) reply.header("www-authenticate", "Bearer");
      if (refusal !== undefined) return reply.code(refusal.status).send({ error: refusal.error });
      try {
        return reply.send(await work(request, reply));
      } catch (error) {
        return fail(error, reply, deps.log);
      }
    };
  server.get(
    "/api/mcp",
    guarded(async (request, reply) => {
      const living = await deps.processes.list();
      // Without a worker at the door no login can begin; how servers are is known all the same.
      const told = await ask("GET", "/logins", undefined, request, reply).catch((error: unknown) => {
        if (isGatewayError(error, "unavailable")) return undefined;
        throw error;
      });
      return { servers: serverViews(deps.servers, living, told) };
    }),
  );
  server.post(
    "/api/mcp/logins",
    guarded(async (request, reply) => {
      const { server: name, isAnew } = await read(request, reply, beginSchema);
      const redirectUrl = `${ownOrigin(request, deps)}${callbackPath}`;
      await ask("POST", "/logins", { server: name, redirectUrl, ...(isAnew && { isAnew }) }, request, reply);
      return {};
    }),
  );
  server.post(
    "/api/mcp/logins/trust",
    guarded(async (request, reply) => {
      await ask("POST", "/logins/trust", await read(request, reply, trustSchema), request, reply);
      return {};
    }),
  );
  server.post(
    "/api/mcp/logins/finish",
    guarded(async (request, reply) =>
      ask("POST", "/logins/finish", await read(request, reply, finishSchema), request, reply),
    ),
  );
}

/** The console's origin as its page has it, never that of another page that may call. */
function ownOrigin({ headers: { origin, host } }: FastifyRequest, { publicUrl }: LoginRouteDeps): string {
  const url = origin === undefined ? null : URL.parse(origin);
  if (url !== null && url.host === host?.toLowerCase()) return url.origin;
  if (publicUrl !== undefined) return new URL(publicUrl).origin;
  throw new GatewayError("a login begins in the console of this gateway: open /console/, or set gateway.publicUrl", {
    code: "invalid_request",
  });
}

async function read<T>(request: FastifyRequest, reply: FastifyReply, schema: z.ZodType<T>): Promise<T> {
  const bytes = await readBody(toWebRequest(request, reply), mostBytes);
  const found = schema.safeParse(parsed(new TextDecoder().decode(bytes)));
  if (found.success) return found.data;
  throw new GatewayError("the request is not what was expected", { code: "invalid_request" });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toSignal(request: FastifyRequest, reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once("close", () => gone.abort());
  if (request.raw.destroyed && !request.raw.complete) gone.abort();
  return gone.signal;
}

const statuses: Partial<Record<ErrorCode, number>> = {
  invalid_request: 400,
  unauthorized: 400,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
};

function fail(error: unknown, reply: FastifyReply, log: Log): FastifyReply {
  const status = isGatewayError(error) ? statuses[error.code] : undefined;
  if (isGatewayError(error) && status !== undefined) return reply.code(status).send({ error: error.message });
  log.warn({ error }, "a request about logins could not be served");
  const text = isGatewayError(error, "unavailable") ? error.message : "not now: try again";
  return reply.code(503).header("retry-after", "5").send({ error: text });
}
