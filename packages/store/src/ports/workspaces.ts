import type { SessionKey } from "@talaria/protocol";
import type { SessionLease } from "./turns.ts";

export interface FoundCopy {
  /** Where the session's files are as they are now. */
  readonly place: string;
  /** Of what was kept last. */
  readonly digest: string;
  /** Their snapshot, if they are elsewhere and it is kept. */
  readonly bytes?: Uint8Array;
}

/** Paths relative to the workspace, or all of its files. */
export type MarkedFiles = readonly string[] | "all";

/** Which files of a session's workspace may hold words of strangers. */
export interface FileTaintStore {
  of(sessionKey: SessionKey): Promise<MarkedFiles>;
  /** Adds to what is marked: of more than 500 paths, all. Throws `conflict` for a lost lease. */
  mark(lease: SessionLease, files: MarkedFiles): Promise<void>;
  /** Of a workspace that no turn works in, but a caller over MCP. Undefined: nobody has kept it. */
  ofCaller(workspace: SessionKey): Promise<MarkedFiles | undefined>;
  /** The same as `mark` for it. No lease guards it: whoever comes late adds marks, and nothing takes one away. */
  markOfCaller(workspace: SessionKey, files: MarkedFiles): Promise<void>;
}

/** Copies of sessions' files, for fleets whose workers have folders of their own. What writes throws `conflict` for a lost lease. */
export interface WorkspaceCopyStore {
  /** `place`: where the caller is. Undefined: nothing was kept so far. */
  find(sessionKey: SessionKey, place: string): Promise<FoundCopy | undefined>;
  /** The files are at this place from now on. Without bytes, nothing is kept of them. */
  keep(lease: SessionLease, copy: FoundCopy): Promise<void>;
  /** They have been put there, as they were kept. */
  claim(lease: SessionLease, place: string): Promise<void>;
  /** Those of the workers that live, at most 1,000. */
  places(): Promise<readonly string[]>;
}
