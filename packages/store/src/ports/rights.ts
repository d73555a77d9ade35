import type {
  AccountId,
  Conversation,
  ConversationId,
  Mandate,
  ProcessId,
  Role,
  Sender,
  SessionKey,
  UserId,
} from "@talaria/protocol";
import type { OutboxText } from "./outbox.ts";

/** Somebody with the role that their words had when they came, and where they had come from. */
export interface PersonAtWork {
  readonly accountId: AccountId;
  readonly sender: Sender;
  readonly role: Role;
  readonly conversation: Conversation;
}

/** A session of which something has ended, and the living worker that has it. */
export interface EndedSession {
  readonly sessionKey: SessionKey;
  readonly holder?: ProcessId;
}

export interface RightsStore {
  /**
   * Whoever asks in turns that run, words that wait, were given up and may be tried again, and calls that wait: at most 10,000, those
   * with more than a guest's rights first.
   */
  atWork(): Promise<readonly PersonAtWork[]>;
  /**
   * Somebody has lost roles: what their words have begun with one of them ends, and what waits is read with the role of now.
   * Resolves with the sessions of which something has ended.
   */
  weaken(person: {
    readonly accountId: AccountId;
    readonly userId: UserId;
    readonly role: Role;
    readonly lost: readonly Role[];
    /** Of a route that still acts for the same owner, with less: what waits keeps of its toolsets those that are among these. */
    readonly mandate?: Mandate;
  }): Promise<readonly EndedSession[]>;
  /** Nobody may write in a conversation any more: what runs and waits of it ends. Resolves with those sessions. */
  shut(accountId: AccountId, conversationId: ConversationId): Promise<readonly EndedSession[]>;
  /**
   * The conversation is of this kind now: what runs and waits of its sessions of another kind ends, and it is no home any more when it
   * has become a group. The notice is told once, when something has ended. Resolves with those sessions; with none where a
   * conversation keeps its kind.
   */
  endFormerKind(conversation: Conversation, notice: Pick<OutboxText, "markdown">): Promise<readonly EndedSession[]>;
}
