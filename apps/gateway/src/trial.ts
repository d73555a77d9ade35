import type { Adapter, AdapterHost } from "@talaria/adapter";
import type { TalariaConfig } from "@talaria/config";
import type { Log } from "@talaria/protocol";
import { serveAdapterRoutes } from "./http/adapter-routes.ts";
import { RouteTable } from "./http/route-table.ts";
import { accessRules, createServer, listen } from "./http/server.ts";

export interface Trial {
  stop(): Promise<void>;
}

/**
 * Connects one adapter by itself, with its routes, if any, on the gateway's port: this proves its settings before they are
 * used. Throws what `start` throws, and when the port is in use.
 */
export async function startTrial(adapter: Adapter, host: AdapterHost, config: TalariaConfig, log: Log): Promise<Trial> {
  const routes = adapter.routes?.() ?? [];
  const table = new RouteTable();
  const server = createServer(log);
  if (routes.length > 0) {
    table.set(adapter.id, routes);
    serveAdapterRoutes(server, { routes: table, rules: accessRules(config, ""), log });
    server.addHook("onResponse", async ({ method }, { statusCode }) => {
      if (statusCode >= 400) log.warn({ method, status: statusCode }, "a call to this gateway was refused");
    });
    await listen(server, config.gateway);
  }
  const stop = async () => {
    await adapter.stop();
    await server.close();
  };
  try {
    await adapter.start(host);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
