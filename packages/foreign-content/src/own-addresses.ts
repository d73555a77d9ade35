import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { isPublicAddress } from "./public-address.ts";

/**
 * Whether a text is an IP address of the public internet that leads to another machine: what listens on this machine's own addresses may
 * be meant for it alone, whatever addresses these are.
 */
export function isElsewhere(address: string): boolean {
  return isPublicAddress(address) && !isOwnAddress(address);
}

/** Whether a text is an IP address, however written, by which this machine reaches itself: one of its interfaces as they are now, or a loopback address. */
export function isOwnAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && ownAddresses().check(address, family === 4 ? "ipv4" : "ipv6");
}

let known: BlockList | undefined;

/** Read once for all addresses that are checked in a row, and anew after that. */
function ownAddresses(): BlockList {
  if (known !== undefined) return known;
  known = new BlockList();
  known.addSubnet("127.0.0.0", 8, "ipv4");
  known.addAddress("::1", "ipv6");
  for (const { address, family } of interfaceAddresses())
    known.addAddress(address, family === "IPv4" ? "ipv4" : "ipv6");
  setImmediate(() => {
    known = undefined;
  });
  return known;
}

/** Some systems, such as Android, tell nobody: then only what is not public is known to lead inside. */
function interfaceAddresses(): readonly { readonly address: string; readonly family: "IPv4" | "IPv6" }[] {
  try {
    return Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  } catch {
    return [];
  }
}
