import { lookup } from "node:dns/promises";
import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { hostsOf } from "@talaria/config";

type Resolve = (name: string) => Promise<readonly { readonly address: string }[]>;

/** Beside the addresses of its interfaces, where the sandbox's proxy lets no other name lead, whoever has opened it. */
const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

/**
 * A sentence with the remedy for each name of `sandbox.network` that leads to this machine now. Asks the system's resolver, all names at
 * once; one that it doesn't know within `signal` is left out. Patterns and addresses are not looked at.
 */
export async function ownNames(
  network: readonly string[],
  signal: AbortSignal,
  resolve: Resolve = (name) => lookup(name, { all: true }),
): Promise<readonly string[]> {
  const own = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  const names = new Set(hostsOf(network).map((host) => host.replace(/:\d+$/, "")));
  const stopped = new Promise<[]>((done) => {
    if (signal.aborted) done([]);
    signal.addEventListener("abort", () => done([]), { once: true });
  });
  const found = await Promise.all(
    [...names].filter(isLookedUp).map(async (name) => {
      const addresses = await Promise.race([resolve(name).catch(() => []), stopped]);
      const here = addresses.find(({ address }) => own.includes(address) || loopback.check(address, family(address)));
      return here === undefined ? [] : [sentence(name, here.address)];
    }),
  );
  return found.flat();
}

/** `localhost` means this machine by name, and opens. */
function isLookedUp(name: string): boolean {
  return !name.includes("*") && isIP(name) === 0 && name !== "localhost" && !name.endsWith(".localhost");
}

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function sentence(name: string, address: string): string {
  return `sandbox.network: ${name} leads to this machine (${address}), and never opens to commands: take it out, or let the service run on another machine`;
}
