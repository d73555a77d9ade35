import type {
  AccountId,
  Choice,
  Conversation,
  DeliveryKey,
  GrantScope,
  Instant,
  MessageId,
  OutboundAttachment,
  Receipt,
  Sender,
  SessionKey,
  Settlement,
  TurnId,
  UserId,
} from "@talaria/protocol";
import type { GroupDecision } from "./group-decision.ts";
import type { Standing } from "./standing.ts";

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
  /** `closing`: no text of its own, but the end of a question: the message that shows it is edited. */
  readonly kind: "reply" | "notice" | "command" | "closing";
  readonly conversation: Conversation;
  readonly replyTo?: MessageId;
  readonly markdown: string;
  readonly attachments: readonly OutboundAttachment[];
  /** Buttons below the text, or a list where there are none. */
  readonly choices?: readonly Choice[];
  /** Only this person is to see it. Where the platform can't show it to one person alone, everybody does. */
  readonly privateTo?: UserId;
  /** Of a closing: the key of the text with the question. */
  readonly closes?: DeliveryKey;
  /** Of a closing: nothing is edited, and the account leaves the conversation. */
  readonly leaves?: true;
  /** What a notice is about: a later one names it in `replaces`. */
  readonly subject?: string;
  /**
   * In a group this text takes the place of the newest about this subject, in its message, unless that can't be changed or is older than a
   * week. Only for what nobody misses who isn't told by a new message.
   */
  readonly replaces?: string;
  /** A message of ours that is edited says the same: in a group this goes out only where no message can be changed. */
  readonly saidByEdit?: true;
  readonly sessionKey?: SessionKey;
  readonly turnId?: TurnId;
  /**
   * The text is an operational notice, or holds one. A group gets one about each topic an hour, whoever writes it; after that
   * only `otherwise` is sent, if there is any. A direct conversation gets all, and so does whoever is told alone. With `to`, somebody in
   * the group, it is one an hour for each of them, and for five of them.
   */
  readonly operational?: {
    readonly topic: NoticeTopic;
    /** Which kind of it, such as the code of a failure: each has an hour of its own. One of few words of ours. */
    readonly kind?: string;
    readonly otherwise?: string;
    readonly to?: UserId;
  };
}

/** The last call for a part that waits, and failed. Operators see it. */
export interface LastFailure {
  /** An `ErrorCode`, perhaps of another release. */
  readonly code: string;
  /** What the network said, such as `ECONNREFUSED`, or an HTTP or SMTP status. */
  readonly reason?: string;
  /** The platform said how long to wait. */
  readonly isAsked?: true;
  /** When the first of the failed calls ended, and when this one did, by the gateway's clock. */
  readonly since: Instant;
  readonly at: Instant;
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
  readonly lastFailure?: LastFailure;
}

/** How a call or a person stands that people were asked about. */
export interface AskedOutcome {
  readonly id: string;
  /** Absent while it waits. */
  readonly settlement?: Settlement;
  /** The name of who decided. */
  readonly by?: string;
  /** Whoever had asked for it denied it, who could not have approved it. */
  readonly isTakenBack?: true;
  /** The operator's rules decided, and nobody else. */
  readonly isByRule?: true;
  /** The beginning of what was asked for approval, where somebody has stopped it or the rules forbid it. */
  readonly notDone?: string;
  /** What was chosen of that which was offered. */
  readonly choice?: string;
  /** How long the agreement covers further calls. */
  readonly scope?: GrantScope;
  /** When it was settled. */
  readonly at?: Instant;
  /** Until when it waits or waited. */
  readonly expiresAt?: Instant;
  /** That time is over, and nobody has settled it yet. */
  readonly isLate?: true;
  /** Asked was about a person, who stands so now. Absent, too, once nobody has decided for a day, or they were forgotten. */
  readonly person?: Standing;
  /** Asked was about a group, and so it was decided. */
  readonly group?: GroupDecision;
}

/** A question that was sent, and how the calls stand that it is about, in its order. */
export interface ShownQuestion {
  readonly messageId: MessageId;
  /** What its message says. */
  readonly markdown: string;
  readonly choices: readonly Choice[];
  readonly outcomes: readonly AskedOutcome[];
  /** An owner was asked elsewhere later, and nobody has decided all of it. */
  readonly askedSince?: true;
  /** The newest text that waits to show how this question stands; older ones need not. */
  readonly newestClosing?: number;
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
  /** Of whoever reads it alone (BCP 47), as their platform told it with what they wrote last. Absent: not known, or a group. */
  readonly language?: string;
  /** Who asked for this reply, and where it goes. Missing when this release can't read it: `TurnStore.asked` then throws. */
  readonly asked?: Askers;
  /** Somebody has stopped it before anybody began to send it: what is shown of it is taken away, and nothing goes out. */
  readonly isWithheld?: true;
  /** By this process's clock that only runs forward; below 0 where the process began later. */
  readonly committedAt: number;
}

export interface OutboxUpdate {
  readonly id: number;
  readonly state: "pending" | "sent" | "failed" | "withdrawn";
  readonly parts: readonly OutboxPart[];
  /** Due again after so many milliseconds, by the database's clock. */
  readonly retryInMs?: number;
  readonly error?: string;
}

/** Which of the texts that wait are made due. */
export interface Hurried {
  readonly doubtful: boolean;
  readonly refused: boolean;
}

export type OutboxOutcome = "written" | "withdrawn";

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
  /**
   * Throws `conflict` when a newer holder exists. Calls that overlap share a transaction. `withdrawn`: nothing was stored, and the text goes out
   * no more, since somebody has ended what asks this question, has stopped this answer, or has deleted the conversation.
   */
  update(lease: AccountLease, update: OutboxUpdate): Promise<OutboxOutcome>;
  /**
   * Makes texts due now that wait since their platform was away: it works again. `doubtful`: those with a part whose outcome is unknown,
   * unless that was sent again three times. `refused`: those that it did not take, unless it said how long to wait. Whether there are any.
   * Does nothing when a newer holder exists.
   */
  hurry(lease: AccountLease, which: Hurried): Promise<boolean>;
  /** The message that shows the question of this text. Undefined when none does. */
  question(deliveryKey: DeliveryKey): Promise<ShownQuestion | undefined>;
  /** The message that this row is to take the place of: see `replaces`. Undefined where there is none. */
  replaced(row: Pick<OutboxRow, "id" | "conversation" | "replaces">): Promise<MessageId | undefined>;
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
