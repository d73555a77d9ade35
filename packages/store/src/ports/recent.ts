import type {
  AccountId,
  ConversationId,
  EventId,
  Instant,
  Platform,
  Role,
  SessionKey,
  TurnId,
} from "@talaria/protocol";

/** Which of the newest messages. What is missing means all of them. */
export interface RecentQuery {
  /**
   * Id, `account/id`, `platform:user:id`, username, the code of somebody who waits, the first characters, at least 4, of their id in
   * `PairingStore.list`, or a part of the name that was seen last, in capital or small letters, with accents or without.
   */
  readonly person?: string;
  /** Id, `account/id`, or a part of the title, in any spelling of that kind. */
  readonly conversation?: string;
  /** Either of the two. */
  readonly either?: string;
  /** From 1 to 200. */
  readonly limit: number;
  /** Leaves out what is said among others, and reactions. */
  readonly toUsOnly?: boolean;
}

/** What became of one event. Carries no text of it; people choose names and titles. */
export interface RecentEvent {
  readonly accountId: AccountId;
  readonly platform?: Platform;
  readonly eventId: EventId;
  readonly conversationId: ConversationId;
  readonly kind?: string;
  readonly title?: string;
  readonly senderId: string;
  readonly senderName?: string;
  /** What the sender might do when it came. */
  readonly role?: Role;
  /** Settled without a session, it was a press of a button. */
  readonly isPress?: true;
  readonly recordedAt: Instant;
  readonly sessionKey?: SessionKey;
  readonly turnId?: TurnId;
  readonly became: Became;
}

export type Became =
  /**
   * Settled without a session: a command, ignored, refused. `later`: who wrote it, or the group, has been let in since, and it was taken up
   * then as an event of its own, or was not.
   */
  | {
      readonly state: "command" | "ignored" | "refused";
      readonly reason: string;
      readonly later?: "taken_up" | "let_in";
    }
  /** In a session, and taken out before any turn read it. */
  | { readonly state: "dropped"; readonly reason: string }
  | { readonly state: "waiting"; readonly for: "worker" | "turn" | "parts" | "retry" }
  | { readonly state: "running"; readonly isAsking: boolean; readonly since: Instant }
  /** The turn is over: `outcome` is how, `reason` why it failed or was cut short. */
  | {
      readonly state: "ended";
      readonly outcome: "completed" | "failed" | "aborted";
      readonly reason?: string;
      readonly at: Instant;
      /** It failed, and `/retry` in its conversation would answer it: nothing came after it. */
      readonly isLast?: true;
      readonly reply: Reply;
    };

/**
 * How its last text stands. `none`: it said nothing, or what it said is pruned. `toldAt`: its group had been told of the same kind of trouble
 * within the hour, at this time.
 */
export type Reply =
  | { readonly state: "none"; readonly toldAt?: Instant }
  | { readonly state: "withdrawn" }
  | { readonly state: "sent"; readonly at: Instant; readonly isReportedFailed: boolean }
  | { readonly state: "pending"; readonly code?: string; readonly reason?: string }
  | { readonly state: "failed"; readonly error: string };
