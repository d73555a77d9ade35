import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers one call; not answering leaves the caller waiting. */
export type Respond = (response: ServerResponse, call: ReceivedCall) => void;

/** A real address for callbacks. Each call is remembered and answered as `respond` says, 204 at first. */
export async function startReceiver() {
  const calls: ReceivedCall[] = [];
  const state: { respond: Respond } = { respond: (response) => response.writeHead(204).end() };
  const server = createServer(async (request, response) => {
    const call = { path: request.url ?? "", headers: request.headers, body: await text(request) };
    calls.push(call);
    state.respond(response, call);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/answers`,
    calls: calls as readonly ReceivedCall[],
    respondWith: (respond: Respond) => {
      state.respond = respond;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;
