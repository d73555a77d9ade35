import type {
  AccountId,
  Choice,
  Conversation,
  DeliveryKey,
  Instant,
  MessageId,
  OutboundAttachment,
  Receipt,
  Sender,
  SessionKey,
  TurnId,
  UserId,
} from "@talaria/protocol";

/** What operational notices are about. Each has a limit of its own, so that one kind of trouble does not hide another. */
export type NoticeTopic =
  /** A turn failed, for example since no model can be reached. */
  | "failed"
  /** Somebody has used up what they may spend. */
  | "limit"
  /** Somebody asked for what they may not do, or in a way that can't be read. */
  | "refused"
  /** An answer was given up on its way out. */
  | "undelivered"
  /** Messages came too late. */
  | "unanswered"
  /** Machines answer each other. */
  | "loop";

/** A whole text on its way to a conversation. Split into parts only when it is sent. */
export interface OutboxText {
  /** A second text with the same key is ignored. */
  readonly deliveryKey: DeliveryKey;
  readonly kind: "reply" | "notice" | "command";
  readonly conversation: Conversation;
  readonly replyTo?: MessageId;
  readonly markdown: string;
  readonly attachments: readonly OutboundAttachment[];
  /** Buttons below the text, or a list where there are none. */
  readonly choices?: readonly Choice[];
  /** Only this person is to see it. Where the platform can't show it to one person alone, everybody does. */
  readonly privateTo?: UserId;
  readonly sessionKey?: SessionKey;
  readonly turnId?: TurnId;
  /**
   * The text is an operational notice, or holds one. A group gets one about each topic an hour, whoever writes it; after that
   * only `otherwise` is sent, if there is any. A direct conversation gets all, and so does whoever is told alone. With `to`, somebody in
   * the group, it is one an hour for each of them, and for five of them.
   */
  readonly operational?: { readonly topic: NoticeTopic; readonly otherwise?: string; readonly to?: UserId };
}

export interface OutboxPart {
  readonly markdown: string;
  readonly attachments: readonly OutboundAttachment[];
  readonly choices?: readonly Choice[];
  /** `sending` is written before the platform is called; found after a crash it means: outcome unknown. */
  readonly state: "pending" | "sending" | "sent" | "failed";
  readonly messageId?: MessageId;
  /** Calls made so far. */
  readonly attempts: number;
  /** Calls whose outcome nobody knows; more than 0 on a sent part may be a visible duplicate. */
  readonly unknown: number;
  readonly error?: string;
}

/** A message that shows part of an answer that will never be finished. */
export interface AbandonedPreview {
  readonly turnId: TurnId;
  readonly conversation: Conversation;
  readonly messageId: MessageId;
}

/** The preview that was shown while the reply grew. `posting` without an id: its outcome is unknown. */
export interface Preview {
  readonly state: "posting" | "posted";
  readonly messageId?: MessageId;
}

/** Who asked for the answer of a turn, and where it goes. */
export interface Askers {
  readonly route: Conversation;
  /** Each sender once per place, in no order. Never empty. */
  readonly askers: readonly { readonly conversation: Conversation; readonly sender: Sender }[];
}

export interface OutboxRow extends OutboxText {
  readonly id: number;
  readonly accountId: AccountId;
  /** Undefined until the text has been split. */
  readonly parts?: readonly OutboxPart[];
  readonly preview?: Preview;
  /** Who asked for this reply, and where it goes. Missing when this release can't read it: `TurnStore.asked` then throws. */
  readonly asked?: Askers;
  readonly createdAt: Instant;
}

export interface OutboxUpdate {
  readonly id: number;
  readonly state: "pending" | "sent" | "failed";
  readonly parts: readonly OutboxPart[];
  /** Due again after so many milliseconds, by the database's clock. */
  readonly retryInMs?: number;
  readonly error?: string;
}

/** The right to an account's connection and lanes. */
export interface AccountLease {
  readonly accountId: AccountId;
  readonly fence: number;
}

/** Replies and notices on their way out. Only the gateway that holds the account reads and writes its rows. */
export interface OutboxStore {
  /** Commits texts that belong to no turn. */
  add(texts: readonly OutboxText[]): Promise<void>;
  /** Unfinished rows that are due, oldest first, without those in `inFlight`. */
  due(lease: AccountLease, inFlight: readonly number[], limit: number): Promise<readonly OutboxRow[]>;
  /** Accounts of these leases with rows that are due, and those whose lease was lost: one statement for all. */
  toRead(leases: readonly AccountLease[]): Promise<readonly AccountId[]>;
  /** Throws `conflict` when a newer holder exists. Calls that overlap share a transaction. */
  update(lease: AccountLease, update: OutboxUpdate): Promise<void>;
  /**
   * Makes texts due now of which a part has an unknown outcome: the platform works again. Leaves out those that were sent again
   * three times without a known outcome. Whether there are any. Does nothing when a newer holder exists.
   */
  hurryDoubtful(lease: AccountLease): Promise<boolean>;
  /** Stores the intent before the first preview is posted, and its id afterwards. Throws `conflict` when a newer holder exists. */
  savePreview(lease: AccountLease, turnId: TurnId, preview: Preview): Promise<void>;
  /**
   * Stores what became of a message of ours after it was sent, even of one that is not known (yet). A status only moves
   * forward: delivered, read, failed. `changed`: it is news. `known`: the message is one of ours.
   */
  receipt(receipt: Receipt): Promise<{ readonly changed: boolean; readonly known: boolean }>;
  /** What this gateway or an earlier one has shown of a turn. */
  preview(turnId: TurnId): Promise<Preview | undefined>;
  /** Previews on the platform whose turn ended within a day, aborted or failed, and without a text: of `turnIds`, or of any turn. */
  abandonedPreviews(accountId: AccountId, turnIds?: readonly TurnId[]): Promise<readonly AbandonedPreview[]>;
  /** The preview of a turn is not on the platform, or stays there for good. Does nothing when a newer holder exists. */
  forgetPreview(lease: AccountLease, turnId: TurnId): Promise<void>;
}
