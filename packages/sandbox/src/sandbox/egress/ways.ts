import { connect as openConnection } from "node:net";
import type { Duplex } from "node:stream";
import { createAddressGuard, type GuardOptions } from "@talaria/foreign-content";
import { isGatewayError, opensHost } from "@talaria/protocol";
import type { HostProxy } from "../proxy.ts";
import type { Onward } from "../secrets/relay.ts";
import { openTunnel, TunnelRefused } from "../secrets/tunnel.ts";
import type { NetworkLog } from "./network-log.ts";

/** How a door's connections get out. */
export interface Ways {
  /**
   * A connection to a host. `opened` gets it before anybody has answered, and may destroy it. Throws `TunnelRefused`, and notes it, for one that
   * the command may not reach.
   */
  connect(name: string, port: number, opened: (tunnel: Duplex) => void): Promise<Duplex>;
  /**
   * Where a request to an address of http goes, and what it says besides. Its answer is passed on once `heard` has resolved, which notes
   * why the operator's proxy has given it itself, if it has. Throws as `connect`.
   */
  forward(url: URL, opened: (tunnel: Duplex) => void): Promise<Pick<Onward, "to" | "headers" | "heard">>;
}

export interface WaysParts {
  /** What may be reached. */
  readonly hosts: readonly string[];
  /** What the operator has opened, by a proxy that also lets to private networks. */
  readonly open: readonly string[];
  readonly proxy: HostProxy | undefined;
  readonly log: NetworkLog;
  /** For tests: where names lead, and which addresses are public. */
  readonly addresses?: GuardOptions | undefined;
}

const connectMs = 20_000;
const quietMs = 300_000;
/** What the runtime's proxy answers where it does not let through, and where it finds nobody. */
const ofProxy: ReadonlySet<number> = new Set([403, 502]);

/** The operator's hosts by the operator's proxy; all others by a connection to an address that was looked up once, and checked. */
export function createWays({ hosts, open, proxy, log, addresses }: WaysParts): Ways {
  const guard = createAddressGuard(addresses);
  const check = (name: string, port: number) => {
    if (opensHost(hosts, name, port)) return;
    log.refused(shown(name, port), "unnamed");
    throw new TunnelRefused(shown(name, port), 403);
  };
  const proxyFor = (name: string, port: number) => (opensHost(open, name, port) ? proxy : undefined);
  const direct = async (name: string, port: number, opened: (tunnel: Duplex) => void): Promise<Duplex> => {
    // No client asks `lookup` for an address.
    await guard.check(name);
    const signal = AbortSignal.timeout(connectMs);
    const socket = openConnection({ host: name, port, lookup: guard.lookup, signal });
    opened(socket);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once("connect", resolve);
        socket.once("error", reject);
        socket.once("close", () => reject(new Error("closed")));
      });
    } catch (error) {
      socket.destroy();
      throw error;
    }
    socket.setTimeout(quietMs, () => socket.destroy());
    return socket;
  };
  const noted = async <Value>(name: string, port: number, attempt: () => Promise<Value>): Promise<Value> => {
    try {
      const value = await attempt();
      log.reached();
      return value;
    } catch (error) {
      const isPrivate = isGatewayError(error, "forbidden") || (error instanceof TunnelRefused && error.status === 403);
      log.refused(shown(name, port), isPrivate ? "private" : (await guard.hasAddress(name)) ? "away" : "nameless");
      throw error instanceof TunnelRefused ? error : new TunnelRefused(shown(name, port), isPrivate ? 403 : 502);
    }
  };
  return {
    connect: async (name, port, opened) => {
      check(name, port);
      const way = proxyFor(name, port);
      return await noted(name, port, () =>
        way === undefined ? direct(name, port, opened) : openTunnel(`${name}:${port}`, way, opened),
      );
    },
    forward: async (url, opened) => {
      const [name, port] = [nameOf(url), Number(url.port || 80)];
      check(name, port);
      const way = proxyFor(name, port);
      if (way !== undefined) {
        const authorization = way.authorization === undefined ? {} : { "proxy-authorization": [way.authorization] };
        const heard = async (status: number) => {
          if (!ofProxy.has(status)) return log.reached();
          // The host may have said it as well as the proxy, and a tunnel to it tells.
          const tunnel = await noted(name, port, () => openTunnel(`${name}:${port}`, way, opened)).catch(
            () => undefined,
          );
          return void tunnel?.destroy();
        };
        return { headers: authorization, to: { socketPath: way.socket, path: url.href, agent: false }, heard };
      }
      const tunnel = await noted(name, port, () => direct(name, port, opened));
      return { headers: {}, to: { createConnection: () => tunnel, path: `${url.pathname}${url.search}` } };
    },
  };
}

/** Without a dot at its end, which means the same host. */
export function nameOf({ hostname }: URL): string {
  return hostname.replace(/\.$/, "");
}

function shown(name: string, port: number): string {
  return port === 443 || port === 80 ? name : `${name}:${port}`;
}
