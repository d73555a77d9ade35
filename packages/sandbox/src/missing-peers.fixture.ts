import { existsSync } from "node:fs";

const peers = { bubblewrap: "bwrap", socat: "socat", ripgrep: "rg" };

/** Why tests of bubblewrap are skipped here: Debian's packages that are missing. Never where `ci` is `true`. */
export function skipWithoutPeers(ci: string | undefined): string | false {
  const missing = Object.entries(peers).flatMap(([name, program]) => (existsSync(`/usr/bin/${program}`) ? [] : [name]));
  return missing.length > 0 && ci !== "true" ? `needs ${missing.join(", ")}` : false;
}
