import type { TalariaConfig } from "@talaria/config";

/** Where this machine reaches the gateway. One that listens everywhere is reached by the loopback address. */
export function gatewayUrl({ gateway: { host, port } }: Pick<TalariaConfig, "gateway">): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
