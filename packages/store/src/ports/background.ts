import type { AccountId, Asker, Conversation, Instant, ProcessId, SessionKey, TurnId } from "@talaria/protocol";
import type { SessionLease } from "./turns.ts";

/** What outlives its call: a process of a workspace before it starts, or what was let go while it ran. */
export interface BegunInBackground {
  /** As people read it, at most 200 characters: a command, or what a call does. */
  readonly command: string;
  readonly hosts: readonly string[];
  /** What an agreement has to say for the process to end with it: its command, and addresses of its hosts. */
  readonly covers: readonly string[];
  /** Everyone whose words have entered the turn. */
  readonly askers: readonly Asker[];
  readonly route: Conversation;
  /** It has run for so long, in milliseconds. Default: not at all. */
  readonly ranMs?: number;
  /** It was let go, so it ends when somebody stops its turn or the conversation. */
  readonly isLetGo?: true;
  /** It is the session's shell: it is not listed, but ends with everything else of the conversation, and with the right to it. */
  readonly isShell?: true;
}

export interface BackgroundRow extends Omit<BegunInBackground, "covers" | "ranMs" | "isLetGo" | "isShell"> {
  readonly isLetGo: boolean;
  /** The turn that has begun it. Absent: a release before this was noted has. */
  readonly turnId?: TurnId;
  /** A number that people type. */
  readonly id: string;
  readonly sessionKey: SessionKey;
  readonly heldBy: ProcessId;
  readonly startedAt: Instant;
}

/** What runs in the background of workspaces, and what of it has no right to go on. */
export interface BackgroundStore {
  /**
   * For the holder of the session alone, before the process starts. Resolves with its number; undefined where the turn was ended, so
   * that nothing may start. Throws `conflict` for a lost lease.
   */
  begin(lease: SessionLease, turnId: TurnId, process: BegunInBackground): Promise<string | undefined>;
  /** They have ended, or never started. */
  ended(holder: ProcessId, ids: readonly string[]): Promise<void>;
  /** Those of a worker that it is to end, and why. */
  toEnd(holder: ProcessId): Promise<readonly { readonly id: string; readonly reason: string }[]>;
  /** Those that run in a session or, without one, anywhere, oldest first, at most 200. */
  running(sessionKey?: SessionKey): Promise<readonly BackgroundRow[]>;
  /** How many run, by the accounts where they were asked for. */
  counts(): Promise<readonly { readonly accountId: AccountId; readonly processes: number }[]>;
}
