import { once } from "node:events";
import { connect } from "node:net";
import type { WebhookRoute } from "@talaria/adapter";
import { readBody } from "@talaria/adapter-kit";
import { silentLog } from "@talaria/protocol";
import type { AccessRules } from "../access.ts";
import { type AdapterRouteDeps, serveAdapterRoutes } from "../adapter-routes.ts";
import { serveConsole } from "../console.ts";
import { RouteTable } from "../route-table.ts";
import { createServer, type ServerOptions } from "../server.ts";

export const token = "a token of enough letters";
export const maxBodyBytes = 1_048_576;

/** Answers with what it got. */
export function echoRoute(facts: Partial<WebhookRoute> & Pick<WebhookRoute, "path">): WebhookRoute {
  return {
    method: "POST",
    auth: "own",
    maxBodyBytes,
    handle: async (request, params) => {
      const body = await readBody(request, maxBodyBytes);
      return Response.json({ bytes: body.byteLength, text: new TextDecoder().decode(body.subarray(0, 100)), params });
    },
    ...facts,
  };
}

/** A gateway's HTTP side on a random port, with these routes and the console. */
export async function serveRoutes(
  routes: readonly WebhookRoute[],
  options: ServerOptions & Partial<AccessRules> & Pick<AdapterRouteDeps, "unprovenBodyMs"> = {},
) {
  const server = createServer(silentLog, options);
  const table = new RouteTable();
  table.set("test", routes);
  const rules = { token, hosts: new Set(["127.0.0.1", "localhost"]), origins: new Set<string>(), ...options };
  const { unprovenBodyMs } = options;
  serveAdapterRoutes(server, {
    routes: table,
    rules,
    log: silentLog,
    ...(unprovenBodyMs === undefined ? {} : { unprovenBodyMs }),
  });
  serveConsole(server, rules);
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  return { url, port: Number(new URL(url).port), server, table, stop: () => server.close() };
}

export type Served = Awaited<ReturnType<typeof serveRoutes>>;

/** A connection that says what no HTTP library would. `received` is all that came back until it is closed. */
export async function openSocket(port: number) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const state = { received: "", isClosed: false };
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  void closed.then(() => {
    state.isClosed = true;
  });
  socket.on("error", () => undefined);
  socket.on("data", (bytes) => {
    state.received += bytes.toString();
  });
  return {
    state,
    closed,
    /** False when the other side does not take more for now. */
    write: (text: string | Buffer) => socket.write(text),
    destroy: () => socket.destroy(),
  };
}

/** Sends raw text on a connection of its own and returns the status line and headers, and the body. */
export async function exchange(port: number, head: string, body = "") {
  const socket = await openSocket(port);
  socket.write(`${head.trim().replaceAll(/\n\s*/g, "\r\n")}\r\nConnection: close\r\n\r\n${body}`);
  await socket.closed;
  const [top = "", ...rest] = socket.state.received.split("\r\n\r\n");
  return { status: Number(top.split(" ")[1]), head: top.toLowerCase(), body: rest.join("\r\n\r\n") };
}
