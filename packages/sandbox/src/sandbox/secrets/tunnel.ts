import { request } from "node:http";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { GatewayError } from "@talaria/protocol";
import type { HostProxy } from "../proxy.ts";

/** What leads out: it knows which hosts may be reached, and by which addresses. */
export type WayOut = Pick<HostProxy, "socket" | "authorization">;

export class TunnelRefused extends GatewayError {
  /** What the proxy answered. */
  readonly status: number;

  constructor(authority: string, status: number) {
    super(`${authority} can't be reached: the proxy answered ${status}`, { code: "unavailable", effect: "none" });
    this.status = status;
  }
}

/**
 * A connection to `authority` through the proxy, which resolves the name and checks it. `opened` gets it before anybody has answered,
 * and may destroy it. Throws `TunnelRefused`.
 */
export function openTunnel(
  authority: string,
  { socket, authorization }: WayOut,
  opened: (tunnel: Duplex) => void,
): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const asking = request({
      socketPath: socket,
      agent: false,
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...(authorization && { "proxy-authorization": authorization }) },
    });
    asking.once("socket", opened);
    asking.once("connect", ({ statusCode = 502 }, tunnel, head) => {
      tunnel.on("error", () => tunnel.destroy());
      if (statusCode !== 200) {
        tunnel.destroy();
        reject(new TunnelRefused(authority, statusCode));
        return;
      }
      if (head.length > 0) tunnel.unshift(head);
      resolve(tunnel);
    });
    asking.on("error", () => reject(new TunnelRefused(authority, 502)));
    asking.end();
  });
}

/** Speaks TLS with the host itself, whose certificate has to be good for its name. */
export function openTls(host: string, tunnel: Duplex): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secured = connect({ socket: tunnel, servername: host, ALPNProtocols: ["http/1.1"], minVersion: "TLSv1.2" });
    secured.once("secureConnect", () => resolve(secured));
    const fail = (cause?: unknown) => {
      tunnel.destroy();
      reject(new GatewayError(`no TLS with ${host}`, { code: "unavailable", effect: "none", cause }));
    };
    secured.once("error", fail);
    secured.once("close", () => fail());
  });
}
