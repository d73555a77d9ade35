import { GatewayError } from "@talaria/protocol";
import type { IPv4, IPv6 } from "ipaddr.js";

/**
 * Whether an address belongs to the public internet: global unicast, after an IPv4 address in IPv6 clothes (`::ffff:10.0.0.1`) is
 * taken out of them. Outside of 2000::/3 no IPv6 address is global (IANA, IPv6 address space).
 */
export async function isPublicAddress(text: string): Promise<boolean> {
  const { default: ipaddr } = await import("ipaddr.js");
  if (!ipaddr.isValid(text)) return false;
  const address: IPv4 | IPv6 = ipaddr.process(text);
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(ipaddr.parseCIDR("2000::/3"));
}

export function notPublic(host: string): GatewayError {
  return new GatewayError(`${host} is not an address of the public internet: it is not fetched`, {
    code: "forbidden",
    effect: "none",
  });
}
