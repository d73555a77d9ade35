import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const peers = { bubblewrap: "bwrap", socat: "socat", ripgrep: "rg" };

/**
 * Why tests of bubblewrap are skipped here: Debian's packages that are missing, never where `ci` is `true`; or a machine that allows
 * no user namespaces, as containers with Docker's own seccomp profile.
 */
export function skipWithoutPeers(ci: string | undefined): string | false {
  const missing = Object.entries(peers).flatMap(([name, program]) => (existsSync(`/usr/bin/${program}`) ? [] : [name]));
  if (missing.length > 0) return ci === "true" ? false : `needs ${missing.join(", ")}`;
  return hasNamespaces() ? false : "needs a machine that allows user namespaces";
}

function hasNamespaces(): boolean {
  const program = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"];
  const nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const [name = "", ...rest] = process.getuid?.() === 0 ? [...nobody, ...program] : program;
  return spawnSync(name, rest, { stdio: "ignore", timeout: 30_000 }).status === 0;
}
