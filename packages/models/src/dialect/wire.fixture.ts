import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that answers every request with a stream of events that the test writes. */
export async function startWire(
  speak: (response: ServerResponse) => Promise<void>,
  { status = 200, type = "text/event-stream" }: { readonly status?: number; readonly type?: string } = {},
) {
  const server = createServer((request, response) => {
    request.resume();
    response.on("error", () => undefined);
    response.writeHead(status, { "content-type": type });
    response.flushHeaders();
    void speak(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
