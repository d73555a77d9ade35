import { BlockList, isIP } from "node:net";

/** IANA, IPv4 Special-Purpose Address Registry. 224.0.0.0/3 is multicast (224.0.0.0/4) and what is reserved (240.0.0.0/4). */
const special4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;

/** What IANA's IPv6 Special-Purpose Address Registry has within 2000::/3. Teredo (2001::/32) and 6to4 (2002::/16) hold IPv4 addresses. */
const special6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [network, prefix] of special4) special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of special6) special.addSubnet(network, prefix, "ipv6");

/**
 * The global unicast block of IPv6 (IANA, IPv6 address space). Outside of it are loopback, link-local, private and multicast addresses,
 * and those that hold an IPv4 address: mapped (::ffff:0:0/96), compatible (::/96), translated (64:ff9b::/96).
 */
const unicast6 = new BlockList();
unicast6.addSubnet("2000::", 3, "ipv6");

/**
 * Whether a text is an IP address of the public internet: none for special use, as in private networks. A zone (`%eth0`)
 * names a link of this machine.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  if (family !== 6 || address.includes("%")) return false;
  return unicast6.check(address, "ipv6") && !special.check(address, "ipv6");
}
