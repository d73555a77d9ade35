import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Adapter } from "@talaria/adapter";

/** Serves an adapter's routes as the gateway does: the body unread, the signal aborted when the caller hangs up. */
export async function serveRoutes(adapter: Adapter): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer(async (request, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const route = adapter.routes?.().find(({ path }) => path === request.url);
    const answer = await route?.handle(
      new Request(new URL(request.url ?? "/", "http://gateway"), {
        method: "POST",
        headers: request.headers as Record<string, string>,
        body: Readable.toWeb(request) as ReadableStream<Uint8Array> as never,
        duplex: "half",
        signal: gone.signal,
      }),
      {},
    );
    response.writeHead(answer?.status ?? 404);
    response.end(answer === undefined ? "" : Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/platforms/${adapter.id}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
