/** What a test holds ready outside of the boundary, for attempts to reach. */
export interface EscapeTargets {
  /** A file outside, and what it holds. Unless it is `isPrivate`, every account of this machine may read and change it. */
  readonly secretFile: string;
  /** A folder outside, with a `program`. As above. */
  readonly openFolder: string;
  /** The folder of all workspaces, and, as a pattern, a file in that of another session, which holds the secret too. */
  readonly dataFolder: string;
  readonly otherFile: string;
  /** A variable of the worker. */
  readonly variable: string;
  /** The worker's own process. */
  readonly worker: number;
  /** A process of this machine with `victimWord` among its arguments, which leads a group of its own. */
  readonly victim: number;
  readonly victimWord: string;
  /** Ports and sockets of this machine on which something answers. */
  readonly tcpPort: number;
  readonly udpPort: number;
  readonly ownAddress: string;
  readonly socketFile: string;
  readonly abstractSocket: string;
}

export type EscapeKind =
  | "files"
  | "links"
  | "proc"
  | "environment"
  | "signals"
  | "sockets"
  | "metadata"
  | "dns"
  | "privileges"
  | "kernel";

export interface Escape {
  readonly kind: EscapeKind;
  readonly name: string;
  /**
   * Ends with success if it takes itself to be through, and prints what it got hold of. It never knows the secret: whether
   * that came out is seen from outside.
   */
  readonly command: string;
  /** Programs without which it can't be tried. */
  readonly needs?: readonly string[];
}

/** Prints the beginning of what `path` holds, or fails. */
export function reading(path: string): string {
  return `head -c 2000 ${path} | grep -a .`;
}

/** Calls the kernel itself, by the numbers of x86-64. */
export function perl(kind: EscapeKind, name: string, code: string): Escape {
  return { kind, name, command: `[ "$(uname -m)" = x86_64 ] && perl -e '${code}'`, needs: ["perl"] };
}
