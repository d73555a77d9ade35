import type {
  AccountId,
  BusyMode,
  Conversation,
  EventId,
  InboundEvent,
  Instant,
  MessageId,
  Platform,
  ProcessId,
  Quote,
  ReceivedMessage,
  Role,
  SessionKey,
  ThreadId,
  TurnId,
  UserId,
} from "@talaria/protocol";
import type { Decision } from "./calls.ts";
import type { Chosen, ChosenOne } from "./chosen.ts";
import type { FactEffect } from "./facts.ts";
import type { DecidedGroup } from "./groups.ts";
import type { MemoryEffect } from "./memory-effect.ts";
import type { WaitingFrom } from "./operations.ts";
import type { OutboxText } from "./outbox.ts";
import type { HearingLimits, Overheard } from "./overheard.ts";
import type { EndedSession } from "./rights.ts";
import type { SkillEffect } from "./skills.ts";
import type { TakingUp } from "./spending.ts";
import type { AddedPerson, PersonDecision } from "./standing.ts";
import type { FoundHead } from "./thread-head.ts";

export type { BusyMode } from "@talaria/protocol";

export interface InboxEntry {
  readonly sessionKey: SessionKey;
  readonly event: InboundEvent;
  /** Where the reply goes; usually the event's own conversation. */
  readonly route: Conversation;
  readonly mode: BusyMode;
  /** What the sender may do. */
  readonly role: Role;
  /**
   * Read together with the events of the same key that follow in this session: each of them restarts the wait of all, up
   * to five times `ms` after the first. Whatever comes later in the session waits behind them.
   */
  readonly defer?: Deferral;
  /** The message may be part of a longer text that was cut: see `Paste`. Counts only without `defer`. */
  readonly paste?: Paste;
  /** The longest wait for attachments, in milliseconds: see `mediaReady`. */
  readonly mediaDeferMs?: number;
  /** Takes along what was overheard in this place before, and forgets it there. */
  readonly overheard?: HearingLimits;
  /** The event deletes a message that may have been overheard in this place. */
  readonly forgetIn?: string;
}

export interface Deferral {
  readonly key: string;
  /** Milliseconds, 0 to 3,600,000. */
  readonly ms: number;
}

/**
 * Part of a text that its sender's app may have cut into several messages. With `ms` the rest may follow, and the event waits
 * so long for it, together with the parts of the same `key` that wait already. Without, it is the end of those, if there are
 * any: then nothing of the text waits any more. `PendingEvent.paste` says what belongs together.
 */
export interface Paste {
  readonly key: string;
  /** Milliseconds, 0 to 3,600,000. */
  readonly ms?: number;
}

export type Recorded =
  /**
   * `holder` is the worker process that has the session now: nudge it when the mode is `interrupt`. `waitMs`: a deferred event
   * is ready after so many milliseconds; wake its session then.
   */
  | { readonly outcome: "recorded"; readonly seq: number; readonly holder?: ProcessId; readonly waitMs?: number }
  | { readonly outcome: "duplicate" };

/** What a control command does to a session, in the same transaction that settles it. */
export type SessionEffect =
  /**
   * Ends the running turn, drops what waits, and withholds answers that nobody has begun to send or to show, and that nobody but the event's
   * sender has asked for. With `why`, which the model reads, also what goes on in the background.
   */
  | { readonly kind: "stop"; readonly sessionKey: SessionKey; readonly why?: string }
  /**
   * As `stop`, except that answers go out; later turns begin with an empty memory. The old transcript stays stored. What was started in the
   * background under an agreement for the conversation ends with that. With `pass`, what was said in it is gone through for facts: see `PassStore`.
   */
  | { readonly kind: "reset"; readonly sessionKey: SessionKey; readonly why?: string; readonly pass?: true }
  /** Ends these processes in the background. Nothing happens when none of them runs in the session. `why`: what the model reads. */
  | {
      readonly kind: "end_background";
      readonly sessionKey: SessionKey;
      readonly ids: readonly string[];
      readonly why: string;
    }
  /** Takes the last turn out of the memory and records its events again. Nothing happens while a turn runs, or when it is not `turnId`. */
  | {
      readonly kind: "retry";
      readonly sessionKey: SessionKey;
      readonly turnId?: TurnId;
      /** What they may do now who had asked: nobody's words come back with more. Others are guests. Absent: as it was. */
      readonly roles?: readonly { readonly userId: UserId; readonly role: Role }[];
    }
  | MemoryEffect
  /** Settles a call that waits, and the further ones of its session in `also`. Nothing happens to one that was settled before, or whose time is over. */
  | ({ readonly kind: "decide"; readonly also?: readonly string[] } & Decision)
  /** Says where an owner is asked; without a conversation, nowhere. */
  | {
      readonly kind: "home";
      readonly sessionKey: SessionKey;
      readonly userId: UserId;
      readonly conversation?: Conversation;
    }
  /** Ends a grant that was given in the session, and what was started in the background under it. */
  | { readonly kind: "revoke"; readonly sessionKey: SessionKey; readonly id: string }
  /**
   * Lifts this limit for a day, and takes up what it has refused. Nothing happens when it is not reached, or is lifted already. `by`:
   * `<account>/<id>`.
   */
  | {
      readonly kind: "lift";
      readonly sessionKey: SessionKey;
      readonly key: string;
      readonly by: string;
      readonly takeUp?: TakingUp;
    }
  /**
   * Chooses what answers in the session from its next turn on. Without `chosen`, what everybody has. `begins`: where the session is, if
   * nobody has spoken there yet.
   */
  | {
      readonly kind: "choose";
      readonly sessionKey: SessionKey;
      readonly what: keyof Chosen;
      readonly chosen?: ChosenOne;
      readonly begins?: Conversation;
    }
  /**
   * Decides about a person who asked on this account to talk to the agent, and the same about those with the ids in `also`, on any account.
   * Nothing happens to one who stands otherwise by now.
   */
  | ({
      readonly kind: "person";
      readonly sessionKey: SessionKey;
      readonly accountId: AccountId;
      readonly also?: readonly string[];
    } & PersonDecision)
  /** Lets somebody in who has not asked, or blocks them. Nothing happens to one about whom somebody has decided. */
  | ({ readonly kind: "add_person"; readonly sessionKey: SessionKey } & AddedPerson)
  /** An owner decides about a group on this account that they were asked about. */
  | ({ readonly kind: "group"; readonly sessionKey: SessionKey; readonly accountId: AccountId } & DecidedGroup)
  | FactEffect
  | SkillEffect
  /** No file of the session's workspace counts as a stranger's any more. Nothing happens while a turn is open or something waits. */
  | { readonly kind: "trust_files"; readonly sessionKey: SessionKey };

/** One notice for all unanswered messages that come within `waitMs` of each other; it leaves `longestMs` after the first. */
export interface Unanswered {
  /** Its text is for one message. */
  readonly text: OutboxText;
  /** The text for several. */
  readonly many: (count: number) => string;
  readonly waitMs: number;
  readonly longestMs: number;
}

/** What would make an event ours that names nobody. */
export interface Joining {
  readonly sessionKey: SessionKey;
  /** Then the message that it edits has to be ours. */
  readonly isEdit: boolean;
  /** We answered in this thread within `withinMs`, are answering there, or are about to. */
  readonly thread?: { readonly threadId: ThreadId; readonly withinMs: number };
  /** The event ends or continues the newest text of this key, which was written at most `withinMs` before. */
  readonly paste?: { readonly key: string; readonly withinMs: number };
}

/** An event that never reaches a session. `reason` is a short code such as `not_addressed` or `command:stop`. */
export interface DirectSettlement {
  readonly event: InboundEvent;
  readonly outcome: "command" | "refused" | "ignored";
  readonly reason: string;
  readonly effect?: SessionEffect;
  readonly notice?: OutboxText;
  /** Further texts, where the effect has done something. */
  readonly texts?: readonly OutboxText[];
  /** Kept until the next event that includes it. `edited`: replaces the text of one that is kept, if there is one. */
  readonly overheard?: HearingLimits & { readonly message: Overheard; readonly edited: boolean };
  /** Tells the conversation that this was not answered. */
  readonly unanswered?: Unanswered;
  /** It came from a group that is not let in, which is noted for operators. */
  readonly group?: { readonly platform: Platform; readonly title?: string };
  /** Forgets what was overheard in this place. */
  readonly forgetPlace?: string;
  /** What waits and is dropped, as far as was known; `markdown` is what the notice says instead where it is other messages by then. */
  readonly dropped?: { readonly waiting: WaitingFrom; readonly markdown: (waiting: WaitingFrom) => string };
  /** What the notice of a `stop` says instead where an answer was written by then: it is `withheld` or `sent`, and nothing else stops (`idle`). */
  readonly atStop?: Readonly<Record<"withheld" | "sent", (waiting?: WaitingFrom) => string>> & {
    readonly idle: string;
  };
  /** Replaces the notice's markdown when the effect found nothing to do. Empty: then nothing is said. */
  readonly idleMarkdown?: string;
  /** Nothing is written when this holds: the event is for a session. */
  readonly unless?: Joining;
  /**
   * Only somebody whom the running turn answers may have the effect. A `stop` of anybody else cancels what waits for people and they
   * alone have asked for, and is told by `ownMarkdown`; it withholds an answer to them alone, and is told by `withheldMarkdown`. Else the event is
   * refused, and so told.
   */
  readonly onlyFor?: {
    readonly userId: UserId;
    readonly reason: string;
    readonly markdown: string;
    readonly ownMarkdown: string;
    readonly withheldMarkdown: string;
  };
}

export type Settled =
  /** `applied` is false when the effect found nothing to do (no turn to stop, nothing to retry). */
  | {
      readonly outcome: "settled";
      readonly applied: boolean;
      readonly holder?: ProcessId;
      /** Words that had waited are recorded in this session now. */
      readonly wakes?: SessionKey;
      /** Workers that hold a process in the background which is to end. */
      readonly ended?: readonly Required<EndedSession>[];
      /** Sessions in which something waits again since a limit was lifted, and accounts that have something to tell of it. */
      readonly takenUp?: { readonly sessions: readonly SessionKey[]; readonly accounts: readonly AccountId[] };
    }
  /** As `onlyFor` says; nothing but its notice was written. */
  | { readonly outcome: "refused" }
  /** As `unless` says; nothing was written. */
  | { readonly outcome: "joins" }
  | { readonly outcome: "duplicate" };

export type EventState = "waiting" | "running" | "answered" | "dropped" | "command" | "refused" | "ignored";

export interface EventStatus {
  readonly accountId: AccountId;
  readonly eventId: EventId;
  readonly state: EventState;
  readonly reason?: string;
  /** The text of the reply, once it is answered. */
  readonly reply?: string;
  readonly recordedAt: Instant;
}

/** Events waiting for a turn. `record` is the point after which a platform may be acknowledged. */
export interface InboxStore {
  /** The time by the database's clock, in milliseconds since 1970. */
  now(): Promise<number>;
  /**
   * Commits one event. Unique by (account, event id) over inbox and direct settlements. Calls that overlap share a
   * transaction; calls for one session keep their order.
   */
  record(entry: InboxEntry): Promise<Recorded>;
  /** Commits an event that needs no turn, with its effect and its notice. */
  settle(settlement: DirectSettlement): Promise<Settled>;
  /**
   * The attachments of an event that was recorded with `mediaDeferMs` have arrived, or never will. Returns its session and
   * after how many milliseconds to wake it; undefined when the event no longer waits.
   */
  mediaReady(
    accountId: AccountId,
    eventId: EventId,
  ): Promise<{ readonly sessionKey: SessionKey; readonly waitMs: number } | undefined>;
  /**
   * The message with this id as a quote, for platforms that tell only the id of what is answered. One of ours is `own`, by the id "agent"
   * and without a name. Undefined where none was recorded or sent in this conversation, or it was taken back.
   */
  heard(
    conversation: Pick<Conversation, "accountId" | "conversationId">,
    messageId: MessageId,
  ): Promise<Quote | undefined>;
  /**
   * The first of these messages that the reader wrote to this account, or that somebody else wrote to both, by its `recipients`. Of
   * several under one id the oldest; at most 50 ids count. Undefined where there is none, or no longer.
   */
  received(
    accountId: AccountId,
    reader: UserId,
    messageIds: readonly MessageId[],
  ): Promise<ReceivedMessage | undefined>;
  /** The first message of a thread, if it is ours or was said to us, with its answer: what a session of the thread begins with. */
  threadHead(
    conversation: Pick<Conversation, "accountId" | "conversationId">,
    threadId: ThreadId,
    sessionKey: SessionKey,
  ): Promise<FoundHead>;
  /** Undefined for an event that was never seen. */
  status(accountId: AccountId, eventId: EventId): Promise<EventStatus | undefined>;
}
