import { lookup as resolveName } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { GatewayError } from "@talaria/protocol";
import { isElsewhere } from "./own-addresses.ts";

export interface GuardOptions {
  /** Every address of a name. Default: the system's resolver. */
  readonly resolve?: (name: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;
  /** Whether an address may be connected to. Default: those of the public internet that are not this machine's. */
  readonly permits?: (address: string) => Promise<boolean> | boolean;
}

/** What stands between a stranger's address and a connection. Both are needed: no client asks `lookup` for a literal address. */
export interface AddressGuard {
  /** Checks a literal address, also in brackets; a name passes, since `lookup` checks it. Throws `forbidden`. */
  check(host: string): Promise<void>;
  /**
   * Resolves a name once and gives exactly the addresses that were checked, so a second answer of the resolver changes nothing.
   * Fails with `forbidden` unless every one of them is permitted.
   */
  readonly lookup: LookupFunction;
  /** Whether a name has any address, permitted or not. Asks the resolver. */
  hasAddress(name: string): Promise<boolean>;
}

/** For whatever connects to addresses that pages, people or the model chose. */
export function createAddressGuard({
  permits = isElsewhere,
  resolve = (name) => resolveName(name, { all: true }),
}: GuardOptions = {}): AddressGuard {
  const permittedAddresses = async (name: string) => {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw notPublic(name);
    for (const { address } of addresses) if (!(await permits(address))) throw notPublic(name);
    return addresses;
  };
  return {
    check: async (host) => {
      const literal = host.replace(/^\[|\]$/g, "");
      if (isIP(literal) !== 0 && !(await permits(literal))) throw notPublic(host);
    },
    hasAddress: async (name) =>
      await resolve(name).then(
        ({ length }) => length > 0,
        () => false,
      ),
    lookup: (name, options, done) => {
      permittedAddresses(name).then(
        (addresses) => {
          const [first] = addresses;
          if (options.all === true) done(null, [...addresses]);
          else done(null, first?.address ?? "", first?.family);
        },
        (error: Error) => done(error, "", 0),
      );
    },
  };
}

function notPublic(host: string): GatewayError {
  return new GatewayError(`${host} leads to this machine, or to an address that is not public: it is not fetched`, {
    code: "forbidden",
    effect: "none",
  });
}
