import dns from "node:dns";

type Lookup = (hostname: string, options: object, callback: (error: Error | null) => void) => void;

const { lookup } = dns;
const lost = new Set<string>();

/** Nobody in this process finds out where `hostname` is, until `findName`. */
export function loseName(hostname: string): void {
  lost.add(hostname);
  dns.lookup = find as unknown as typeof lookup;
}

export function findName(hostname: string): void {
  lost.delete(hostname);
  if (lost.size === 0) dns.lookup = lookup;
}

const find: Lookup = (hostname, options, callback) => {
  if (!lost.has(hostname)) return (lookup as unknown as Lookup)(hostname, options, callback);
  const error = Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND", hostname });
  process.nextTick(callback, error);
};
