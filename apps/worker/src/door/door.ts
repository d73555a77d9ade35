import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { GatewayError, isGatewayError, type Log } from "@talaria/protocol";
import { z } from "zod";
import type { LoginDesk } from "./login-desk.ts";

/** Of what a gateway asks about logins. */
const mostBytes = 16_384;

const beginSchema = z.strictObject({
  server: z.string().max(64),
  redirectUrl: z.string().max(2_048),
  isAnew: z.boolean().optional(),
});
const trustSchema = z.strictObject({ server: z.string().max(64), origin: z.string().max(2_048), trusts: z.boolean() });
const finishSchema = z.strictObject({ parameters: z.string().max(8_192) });

export interface DoorDeps {
  /** Answers requests to `/mcp`. Absent: nothing is served there. */
  readonly tools?: (request: Request) => Promise<Response>;
  readonly logins: LoginDesk;
  readonly log: Log;
}

/**
 * What a gateway of the same data folder asks a worker for: our tools over MCP, and logins to MCP servers. Connections come from
 * whoever listens for them; the socket's folder is closed to other accounts, and for tools the token is looked up here again.
 */
export function createDoor(deps: DoorDeps): { serve(socket: Socket): void; stop(): void } {
  const server = createServer((request, response) => {
    void answer(deps, request, response).catch((error: unknown) => {
      deps.log.debug({ error }, "a request of a gateway broke off");
      response.destroy();
    });
  });
  const open = new Set<Socket>();
  return {
    serve(socket) {
      open.add(socket);
      socket.once("close", () => open.delete(socket));
      server.emit("connection", socket);
    },
    stop() {
      for (const socket of open) socket.destroy();
    },
  };
}

async function answer(deps: DoorDeps, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const request = toRequest(incoming, gone.signal);
  const response = await respond(deps, request, new URL(request.url).pathname);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as NodeReadableStream), outgoing);
}

async function respond({ tools, logins, log }: DoorDeps, request: Request, path: string): Promise<Response> {
  if (path === "/mcp" && tools !== undefined) return await tools(request);
  try {
    switch (`${request.method} ${path}`) {
      case "GET /logins":
        break;
      case "POST /logins": {
        const { server, redirectUrl, isAnew } = await read(request, beginSchema);
        await logins.begin(server, redirectUrl, isAnew);
        break;
      }
      case "POST /logins/trust": {
        const { server, origin, trusts } = await read(request, trustSchema);
        logins.trust(server, origin, trusts);
        break;
      }
      case "POST /logins/finish": {
        const { parameters } = await read(request, finishSchema);
        return Response.json({ server: await logins.finish(new URLSearchParams(parameters)) });
      }
      default:
        return Response.json({ code: "not_found", error: "no such route" }, { status: 404 });
    }
    return Response.json({ logins: logins.states() });
  } catch (error) {
    if (isGatewayError(error)) return Response.json({ code: error.code, error: error.message }, { status: 400 });
    log.warn({ error }, "a request of a gateway failed");
    return Response.json({ code: "internal", error: "this could not be done: see the log" }, { status: 500 });
  }
}

async function read<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of request.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length > mostBytes) throw new GatewayError("the request is too large", { code: "too_large" });
  }
  const found = schema.safeParse(parsed(text));
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

function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request {
  const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
  return new Request(new URL(incoming.url ?? "/", "http://gateway"), {
    method: incoming.method ?? "GET",
    headers: incoming.headers as Record<string, string>,
    signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream<Uint8Array>, duplex: "half" } : {}),
  });
}
