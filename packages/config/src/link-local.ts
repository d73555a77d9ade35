import { BlockList, isIP } from "node:net";

const addresses = new BlockList();
addresses.addSubnet("169.254.0.0", 16, "ipv4");
addresses.addSubnet("fe80::", 10, "ipv6");
// Metadata services that are not link-local: Amazon's by IPv6 (fd00:ec2::254) and Alibaba's.
addresses.addAddress("fd00:ec2::254", "ipv6");
addresses.addAddress("100.100.100.200", "ipv4");

/** Names by which clouds serve metadata, whatever they resolve to. */
const names = new Set(["metadata", "metadata.google.internal", "instance-data"]);

/**
 * Whether an http address names a machine's link-local neighbour or the metadata service of a cloud. A name is not
 * resolved: it may lead elsewhere by the time it is used.
 */
export function isLinkLocal(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const version = isIP(host);
  if (version === 0) return names.has(host);
  return addresses.check(host, version === 4 ? "ipv4" : "ipv6");
}
