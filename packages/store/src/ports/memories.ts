import type { AccountId, ConversationId, Instant, MessageId, Sender, SessionKey, TurnId } from "@talaria/protocol";

/** How full the model's window was at the end of a turn, in tokens, and what filled it. */
export interface StoredContext {
  readonly tokens: number;
  readonly windowTokens: number;
  readonly parts: ContextParts;
  /** How often the memory was compressed. */
  readonly compressions: number;
  readonly at: Instant;
}

export interface ContextParts {
  readonly prompt: number;
  readonly tools: number;
  /** What people have said. */
  readonly words: number;
  readonly answers: number;
  /** What tools have brought. */
  readonly results: number;
  readonly checkpoint: number;
}

export interface Memory {
  /** What people call it, unique in its session. */
  readonly number: number;
  /** The session goes on with it. */
  readonly isCurrent: boolean;
  readonly title?: string;
  /** What was asked first in it, at most 120 characters in one line. */
  readonly beginning?: string;
  /** Absent where an older release has begun it. */
  readonly turns?: number;
  readonly context?: StoredContext;
  /** Its next turn begins by compressing. */
  readonly compact: boolean;
  /** Absent: it holds nothing yet. */
  readonly lastUsedAt?: Instant;
}

/** A turn that a memory holds. */
export interface MemoryTurn {
  readonly turnId: TurnId;
  /** The events that it has answered, oldest first, at most 200. None where they were removed because of their age. */
  readonly asked: readonly { readonly words: string; readonly sender: Sender }[];
}

/** When a conversation that nobody goes on with ends as by `/new`. */
export interface UnusedTerms {
  readonly idleMs?: number;
  /** `04:00`, by the clock of `timeZone`. */
  readonly dailyAt?: string;
  readonly timeZone: string;
  /** What was said in it is gone through for facts. */
  readonly pass: boolean;
}

/** What people read of the memories of one session. They change by a `SessionEffect`. */
export interface MemoryStore {
  /** `isBusy`: a turn is open, or something waits for one. Undefined: nobody has written in the session. */
  current(sessionKey: SessionKey): Promise<{ readonly memory: Memory; readonly isBusy: boolean } | undefined>;
  /** Those that hold something, the last used first, among the newest 200. */
  list(sessionKey: SessionKey, atMost: number): Promise<readonly Memory[]>;
  /**
   * Ends conversations in which nothing was said since: of those that were not looked at before, 50 turns at most, so that it is called
   * until `isMore` is false. A conversation that is busy or has a question open goes on, and so do the console's. Several may call it.
   */
  endUnused(terms: UnusedTerms): Promise<{ readonly ended: number; readonly isMore: boolean }>;
  /** The newest turns of the current memory, newest first. */
  turns(sessionKey: SessionKey, atMost: number): Promise<readonly MemoryTurn[]>;
  /** The turn that has read a message, or answered with it, if a memory of the session still holds it. */
  turnOf(
    sessionKey: SessionKey,
    message: {
      readonly accountId: AccountId;
      readonly conversationId: ConversationId;
      readonly messageId: MessageId;
    },
  ): Promise<MemoryTurn | undefined>;
}
