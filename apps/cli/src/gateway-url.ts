import { readFile } from "node:fs/promises";
import type { TalariaConfig } from "@talaria/config";
import type { Home } from "./home.ts";

/** The configured address, at the port that the gateway of this home really has where the configuration leaves it open. */
export async function runningGatewayUrl(
  config: Pick<TalariaConfig, "gateway">,
  home: Pick<Home, "gatewayUrlFile">,
): Promise<string> {
  if (config.gateway.port !== 0) return gatewayUrl(config);
  const listening = await readFile(home.gatewayUrlFile, "utf8").catch(() => undefined);
  if (listening === undefined) throw new Error("no gateway runs here: start Talaria first, or set gateway.port");
  return gatewayUrl({ gateway: { ...config.gateway, port: Number(new URL(listening).port) } });
}

/** Where this machine reaches the gateway. One that listens everywhere is reached by the loopback address. */
export function gatewayUrl({ gateway: { host, port } }: Pick<TalariaConfig, "gateway">): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
