import type { SessionKey, TurnId } from "@talaria/protocol";

/** What happens to the memories of a session. Nothing that is under way loses its memory: the first three do nothing while a turn is open or something waits. */
export type MemoryEffect =
  /**
   * Takes these turns out of the memory, with calls of theirs that wait. Nothing happens unless they are its newest, newest
   * first. Another memory that holds them keeps them.
   */
  | { readonly kind: "undo"; readonly sessionKey: SessionKey; readonly turns: readonly TurnId[] }
  /** Begins a memory with what the current one holds, or one of the session's up to a turn. Those stay. Calls that wait are cancelled. */
  | { readonly kind: "branch"; readonly sessionKey: SessionKey; readonly turnId?: TurnId; readonly title: string }
  /** Goes on with a memory of the session that is not the current one. Calls that wait are cancelled. */
  | { readonly kind: "resume"; readonly sessionKey: SessionKey; readonly number: number }
  /** Names the current memory. */
  | { readonly kind: "title"; readonly sessionKey: SessionKey; readonly title: string }
  /** Has the next turn begin by compressing the memory. Nothing happens to one that holds nothing. */
  | { readonly kind: "compact"; readonly sessionKey: SessionKey };
