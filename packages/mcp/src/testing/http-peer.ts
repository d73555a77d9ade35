import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

export interface HttpPeer {
  readonly url: string;
  /** `authorization` of every request so far. */
  readonly authorizations: (string | undefined)[];
  /** Stops as a crash does: every connection is cut. */
  stop(): Promise<void>;
}

/** Serves a handler of web requests on loopback, on the given port or any free one. */
export async function httpPeer(answer: (request: Request) => Promise<Response>, port = 0): Promise<HttpPeer> {
  const authorizations: (string | undefined)[] = [];
  const server = createServer((incoming, outgoing) => {
    authorizations.push(incoming.headers.authorization);
    void serve(incoming, outgoing, answer);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorizations,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? "GET",
    headers: incoming.headers as Record<string, string>,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" } : {}),
  });
  const response = await answer(request).catch((error: unknown) => new Response(String(error), { status: 500 }));
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body as never), outgoing).catch(() => undefined);
}
