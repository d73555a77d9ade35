import { hostsOf, type TalariaConfig } from "@talaria/config";
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
