import { type LookupAddress, lookup as resolve } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { GatewayError } from "@talaria/protocol";

/** Not the public internet (IANA, IPv4 special-purpose address registry). */
const special4 = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const;

/** The same within the global unicast block of IPv6, 2000::/3 (IANA, IPv6 special-purpose address registry). */
const special6 = [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const;

const special = new BlockList();
for (const [network, prefix] of special4) special.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of special6) special.addSubnet(network, prefix, "ipv6");
const unicast6 = new BlockList();
unicast6.addSubnet("2000::", 3, "ipv6");

/** Whether an IP address is one of the public internet: none of this machine, its network, or for special use. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, "ipv4");
  return family === 6 && unicast6.check(address, "ipv6") && !special.check(address, "ipv6");
}

type Resolve = (hostname: string, options: { all: true }, done: ResolveDone) => void;
type ResolveDone = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/**
 * A `lookup` for connections that refuses, with `forbidden`, a name of which any address is not public. It decides at the moment
 * of connecting, so a name cannot lead elsewhere after it was checked.
 */
export function publicLookup(ask: Resolve = resolve): LookupFunction {
  return (hostname, options, done) => {
    ask(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) done(error, "");
      else if (first === undefined || addresses.some(({ address }) => !isPublicAddress(address))) done(notPublic(), "");
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

export function notPublic(): GatewayError {
  return new GatewayError("the address is not a public one", { code: "forbidden", effect: "none" });
}
