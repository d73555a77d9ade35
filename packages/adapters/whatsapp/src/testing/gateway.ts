import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { Adapter } from "@talaria/adapter";

/** A gateway in small: hands requests to the routes of an adapter, as it is now. */
export async function startGateway(mounted: () => Adapter) {
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? "/", "http://gateway.test");
    const route = mounted()
      .routes?.()
      .find(({ path, method }) => path === url.pathname && method === incoming.method);
    const headers = incoming.headers as Record<string, string>;
    const body = await buffer(incoming);
    const request = new Request(url, {
      method: incoming.method ?? "GET",
      headers,
      ...(body.length > 0 ? { body } : {}),
    });
    const response = (await route?.handle(request, {})) ?? new Response(null, { status: 404 });
    outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    urlOf: (adapter: Adapter) => `${url}/platforms/${adapter.id}`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
