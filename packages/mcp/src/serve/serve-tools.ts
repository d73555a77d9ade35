import type { McpHttpHandler } from "@modelcontextprotocol/server";
import { callerCalls } from "./call-for.ts";
import type { Caller, ToolServerDeps } from "./caller.ts";
import { callerServer } from "./caller-server.ts";

const mostRequestBytes = 1024 * 1024;
const mostTokenChars = 4_096;
/** Streams that wait for news of the tools, of all callers. */
const mostSubscriptions = 64;

export interface ToolServer {
  /** Answers one request of Streamable HTTP, in the era it is made in. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Tells everyone who listens that their tools may have changed. */
  toolsChanged(): void;
  stop(): Promise<void>;
}

/**
 * Our tools for other agents, over MCP. Each request is answered for whoever its token speaks for, with nothing kept between
 * requests: a token that is withdrawn is refused with the next one.
 */
export async function serveTools(deps: ToolServerDeps): Promise<ToolServer> {
  const sdk = await import("@modelcontextprotocol/server");
  const calls = callerCalls(deps);
  const callers = new WeakMap<object, Caller>();
  const handler: McpHttpHandler = sdk.createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo === undefined ? undefined : callers.get(authInfo);
      if (caller === undefined) throw new Error("a request without a caller");
      return callerServer(sdk.Server, { caller: async () => caller, version: deps.version, calls });
    },
    {
      maxRequestBodySize: mostRequestBytes,
      maxSubscriptions: mostSubscriptions,
      onerror: (error) => deps.log.debug({ error }, "MCP request was rejected"),
    },
  );
  return {
    async fetch(request) {
      const hosts = [...deps.hosts];
      const rejected =
        sdk.hostHeaderValidationResponse(request, hosts) ?? sdk.originValidationResponse(request, hosts) ?? undefined;
      if (rejected !== undefined) return rejected;
      try {
        const token = tokenOf(request);
        const caller = token === undefined ? undefined : await deps.identify(token);
        if (caller === undefined) return unauthorized(token !== undefined);
        // The token itself goes no further.
        const authInfo = { token: "", clientId: caller.id, scopes: [] };
        callers.set(authInfo, caller);
        return await handler.fetch(request, { authInfo });
      } catch (error) {
        deps.log.error({ error }, "MCP request failed");
        return Response.json({ error: "server_error" }, { status: 500 });
      }
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    stop: () => handler.close(),
  };
}

function tokenOf(request: Request): string | undefined {
  const header = request.headers.get("authorization") ?? "";
  const token = /^Bearer +(\S+)$/i.exec(header.slice(0, mostTokenChars + 1))?.[1];
  return header.length > mostTokenChars ? undefined : token;
}

/** RFC 6750, 3: without a token no error is named. */
function unauthorized(isTokenWrong: boolean): Response {
  const challenge = isTokenWrong ? 'Bearer error="invalid_token"' : "Bearer";
  const body = { error: isTokenWrong ? "invalid_token" : "a bearer token is needed" };
  return Response.json(body, { status: 401, headers: { "www-authenticate": challenge } });
}
