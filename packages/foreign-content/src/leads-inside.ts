import { open } from "node:fs/promises";
import { isIP } from "node:net";
import { isElsewhere } from "./own-addresses.ts";

/** Longer hosts files are read so far. */
const mostBytes = 1_048_576;

/**
 * Whether this machine knows by itself that a host leads to it or into a private network: an address that says so, a name below
 * `localhost` (RFC 6761, 6.3), a name in `hostsFile` (hosts(5)). It asks no resolver, which would tell others of the name. Never throws.
 */
export async function leadsInside(host: string, hostsFile = "/etc/hosts"): Promise<boolean> {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(name) !== 0) return !isElsewhere(name);
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  const lines = await startOf(hostsFile).catch(() => "");
  return lines.split("\n").some((line) => {
    const [address = "", ...names] = line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/);
    return names.includes(name) && isIP(address) !== 0 && !isElsewhere(address);
  });
}

async function startOf(path: string): Promise<string> {
  await using file = await open(path, "r");
  const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
  return buffer.toString("latin1", 0, bytesRead);
}
