import { buffer } from "node:stream/consumers";
import type { Adapter } from "@talaria/adapter";
import { LoopbackServer } from "@talaria/testkit";

/** Serves the routes of these adapters as a gateway does, without its limits. */
export async function serveRoutes(adapters: readonly Adapter[]): Promise<LoopbackServer> {
  const routes = adapters.flatMap((adapter) => adapter.routes?.() ?? []);
  return LoopbackServer.listen(async (incoming, outgoing) => {
    const { pathname } = new URL(incoming.url ?? "", "http://gateway.test");
    const route = routes.find(({ method, path }) => method === incoming.method && path === pathname);
    const body = await buffer(incoming);
    const headers = new Headers(incoming.headers as Record<string, string>);
    const { method = "GET", url = "" } = incoming;
    const init = { method, headers, ...(body.length > 0 && { body }) };
    const answer = await route?.handle(new Request(`http://gateway.test${url}`, init), {});
    outgoing.writeHead(answer?.status ?? 404);
    outgoing.end(await answer?.text());
  });
}
