import { hostsOf, type TalariaConfig } from "@talaria/config";
import { leadsInside } from "@talaria/foreign-content";
import { opensHost } from "@talaria/protocol";
import type { CommandReach } from "./authorise.ts";

/** What a command can reach where the configuration has it run, for the policy. Undefined: there are no commands. */
export function commandReach({
  backend,
  network,
}: Pick<TalariaConfig["sandbox"], "backend" | "network">): CommandReach | undefined {
  switch (backend) {
    case "off":
      return undefined;
    case "local":
      return { isSandboxed: false, hasNetwork: true };
    case "ssh":
      // Another machine has a network of its own, which nobody here holds back.
      return { isSandboxed: true, hasNetwork: true };
    case "sandbox":
    case "docker":
    // It is asked for no network, and left alone unless the self-test finds none.
    case "e2b":
    case "modal":
      return { isSandboxed: true, hasNetwork: false, ...(network.length > 0 && { openHosts: hostsOf(network) }) };
    default:
      return backend satisfies never;
  }
}

/** Which hosts of commands are refused whoever agrees, as far as this machine knows: where it is the one that looks their names up. */
export function closedHosts({ backend, network }: Pick<TalariaConfig["sandbox"], "backend" | "network">): {
  readonly isClosedHost?: (host: string) => Promise<boolean>;
} {
  if (backend !== "sandbox") return {};
  const open = hostsOf(network).map(nameOf);
  return {
    isClosedHost: async (host) => !opensHost(open, nameOf(host), 443) && (await leadsInside(nameOf(host))),
  };
}

/** Without the port: whoever opens one of them wants somebody to be asked about the others. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, "");
}
