import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { hostsOf } from "@talaria/config";
import { isOwnAddress } from "@talaria/foreign-content";

type Resolve = (name: string) => Promise<readonly { readonly address: string }[]>;

/**
 * A sentence with the remedy for each name of `sandbox.network` that leads to this machine now. Asks the system's resolver, all names at
 * once; one that it doesn't know within `signal` is left out. Patterns and addresses are not looked at.
 */
export async function ownNames(
  network: readonly string[],
  signal: AbortSignal,
  resolve: Resolve = (name) => lookup(name, { all: true }),
): Promise<readonly string[]> {
  const names = new Set(hostsOf(network).map((host) => host.replace(/:\d+$/, "")));
  const stopped = new Promise<[]>((done) => {
    if (signal.aborted) done([]);
    signal.addEventListener("abort", () => done([]), { once: true });
  });
  const found = await Promise.all(
    [...names].filter(isLookedUp).map(async (name) => {
      const addresses = await Promise.race([resolve(name).catch(() => []), stopped]);
      const here = addresses.find(({ address }) => isOwnAddress(address));
      return here === undefined ? [] : [sentence(name, here.address)];
    }),
  );
  return found.flat();
}

/** `localhost` means this machine by name, and opens. */
function isLookedUp(name: string): boolean {
  return !name.includes("*") && isIP(name) === 0 && name !== "localhost" && !name.endsWith(".localhost");
}

function sentence(name: string, address: string): string {
  return `sandbox.network: ${name} leads to this machine (${address}), and never opens to commands: take it out, or let the service run on another machine`;
}
