import { type LookupAddress, lookup as resolve } from "node:dns";
import type { LookupFunction } from "node:net";
import { isElsewhere } from "@talaria/foreign-content";
import { GatewayError } from "@talaria/protocol";

type Resolve = (hostname: string, options: { all: true }, done: ResolveDone) => void;
type ResolveDone = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/**
 * A `lookup` for connections that refuses, with `forbidden`, a name of which any address is not public, or is this machine's. It decides at the moment
 * of connecting, so a name cannot lead elsewhere after it was checked.
 */
export function publicLookup(ask: Resolve = resolve): LookupFunction {
  return (hostname, options, done) => {
    ask(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) done(error, "");
      else if (first === undefined || addresses.some(({ address }) => !isElsewhere(address))) done(notPublic(), "");
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

export function notPublic(): GatewayError {
  return new GatewayError("the address is not a public one of another machine", { code: "forbidden", effect: "none" });
}
