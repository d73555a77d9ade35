/** Who commands are on this machine. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** For `spawn`: empty where the worker is that account itself. */
  readonly credentials: { readonly uid?: number; readonly gid?: number };
}

/** Far from people's accounts, from those of packages and from those that containers and systemd hand out. */
const defaultUid = 64_917;

/**
 * Root gives up its account before bubblewrap begins: inside a namespace of root's, files that root may read stay readable
 * and the limit on processes doesn't count.
 */
export function accountFor(ownUid: number, ownGid: number, configured = defaultUid): Account {
  if (ownUid !== 0) return { uid: ownUid, gid: ownGid, credentials: {} };
  return { uid: configured, gid: configured, credentials: { uid: configured, gid: configured } };
}
