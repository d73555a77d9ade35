import type {
  AccountId,
  AskedWords,
  Asker,
  Choice,
  Conversation,
  GrantOffer,
  GrantScope,
  Instant,
  MessageId,
  ProcessId,
  Role,
  Sender,
  SessionKey,
  SettledCall,
  Settlement,
  TurnId,
  UserId,
  WaitsFor,
} from "@talaria/protocol";
import type { OutboxText } from "./outbox.ts";

/** A tool call that is answered later, as the turn that makes it stores it. */
export interface Ask {
  /** Unique and short: people type it. */
  readonly id: string;
  readonly callId: string;
  readonly name: string;
  readonly arguments: string;
  readonly waitsFor: WaitsFor;
  readonly shown: string;
  /** What whoever decides is asked, in parts. Absent: there is no more than `shown`. */
  readonly words?: AskedWords;
  /** The role that may decide. Absent: nobody decides, the answer comes from elsewhere. */
  readonly approver?: Role;
  /** Everyone whose words have entered the turn. */
  readonly askers: readonly Asker[];
  /** By the clock of who asks, which may be hours off: what counts is how long that is from now. */
  readonly expiresAt: Instant;
  /** Further calls that whoever approves may agree to. */
  readonly offer?: GrantOffer;
  /** The worker whose process it waits for, or in which the call runs that asks; where the same is asked again, the one that asks now. The answer of such a call is no event: the worker reads it. */
  readonly heldBy?: ProcessId;
}

/**
 * What becomes of what would begin a turn that nobody has asked for, by the end of a process or since nobody has decided in time: after
 * so many in a row it waits until somebody writes or decides something, and that is told once.
 */
export interface UnaskedPause {
  readonly turns: number;
  readonly markdown: string;
}

/** The end of a process in the background, or of a call that has gone on beside its turn. */
export interface ProcessEnd {
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId;
  readonly callId: string;
  readonly heldBy: ProcessId;
  /** Absent: the model knows already, and nothing is recorded. */
  readonly content?: string;
  /** Of a call that has gone on beside its turn, see `SettledCall`. */
  readonly brought?: NonNullable<SettledCall["brought"]>;
  readonly pause?: UnaskedPause;
}

export interface OpenCall extends Ask {
  readonly sessionKey: SessionKey;
  readonly turnId: TurnId;
  /** Where it was asked. */
  readonly route: Conversation;
  readonly askedAt: Instant;
  /** Absent while it waits. */
  readonly settlement?: Settlement;
  /** What who settled it calls themselves: a stranger's words. Absent: nobody did, or the operator's rules. */
  readonly settledBy?: string;
  /** Whoever had asked for it denied it, who could not have approved it. */
  readonly isTakenBack?: true;
  /** The reason, or the answer. */
  readonly content?: string;
  /** Its time is over: nobody can decide it any more, and it is about to be settled as expired. */
  readonly isOverdue: boolean;
  /** The worker that holds it has died: nobody would read an answer. */
  readonly isAbandoned?: true;
}

/** A call that waits for approval, with its session's own conversation: `route` may lead elsewhere. */
export interface QuestionToReview {
  readonly call: OpenCall;
  readonly conversation: Conversation;
}

export interface QuestionPage {
  readonly questions: readonly QuestionToReview[];
  /** Where the next page begins. Absent: this is the last. */
  readonly next?: string;
}

export interface Decision {
  readonly id: string;
  readonly sessionKey: SessionKey;
  readonly settlement: Settlement;
  readonly by?: Sender;
  /** `by` has asked for it, and denies what they could not approve. */
  readonly takesBack?: true;
  /** The reason, or the answer. */
  readonly content?: string;
  readonly pause?: UnaskedPause;
  /** With `approved`: what was offered is agreed to as well. */
  readonly grant?: { readonly scope: GrantScope; readonly byRole: Role };
}

/** An agreement to further calls. Its terms belong to the policy package, which checks them when reading. */
export interface StoredGrant {
  /** That of the call which was approved. */
  readonly id: string;
  readonly scope: GrantScope;
  /** As people read it. */
  readonly covers: string;
  readonly terms: Readonly<Record<string, unknown>>;
  readonly byRole: Role;
}

export interface GivenGrant {
  readonly id: string;
  readonly accountId: AccountId;
  readonly by: Sender;
  readonly byRole: Role;
}

/** Where an owner is asked what must be decided by one. */
export interface Home {
  readonly userId: UserId;
  readonly conversation: Conversation;
  /** The owner's, as the platform told it last. Absent: not known. */
  readonly language?: string;
}

/** Calls that are answered later. `TurnStore.append` adds them, and a turn that is stopped cancels them. */
export interface CallStore {
  find(id: string): Promise<OpenCall | undefined>;
  /** The one that a turn asked under this id. */
  findOf(turnId: TurnId, callId: string): Promise<OpenCall | undefined>;
  /** Those of a session that wait, oldest first, at most 20. */
  waiting(sessionKey: SessionKey): Promise<readonly OpenCall[]>;
  /** What calls of a turn have asked people while they ran, settled or not, oldest first, at most 100. */
  askedWhileRunning(turnId: TurnId): Promise<readonly OpenCall[]>;
  /**
   * Those that wait in any conversation for somebody's approval that only an owner may give, oldest first, at most 200. None in which an
   * owner has asked: they see the question.
   */
  forOwners(): Promise<readonly OpenCall[]>;
  /** Ids of those that wait for somebody's approval and are asked about in this conversation, at most 200. */
  askedIn(conversation: Pick<Conversation, "accountId" | "conversationId">): Promise<ReadonlySet<string>>;
  /** The calls about which this message of ours asks, decided or not, in its order. */
  shownIn(
    place: Pick<Conversation, "accountId" | "conversationId">,
    messageId: MessageId,
  ): Promise<readonly OpenCall[]>;
  /** The buttons of a message of ours that asks about a person or a group, and whether it is not decided yet. None: it asks nothing of the kind. */
  choicesShownIn(
    place: Pick<Conversation, "accountId" | "conversationId">,
    messageId: MessageId,
  ): Promise<{ readonly choices: readonly Choice[]; readonly isOpen: boolean }>;
  /**
   * Whether a text of ours to this conversation, that was not given up, shows all of what a call does: as its question does, or with more,
   * as in `whole`.
   */
  isShownWhole(id: string, place: Pick<Conversation, "accountId" | "conversationId">, whole: string): Promise<boolean>;
  /** The same of the message with this button, which is for all that it lists. */
  listed(choiceId: string): Promise<readonly OpenCall[]>;
  /** Those that wait although their time is over, at most 100. */
  overdue(): Promise<readonly OpenCall[]>;
  /**
   * Settles a call that waits, and records that as an event of its session. False when it was settled before or, except for
   * `expired`, its time is over; then nothing was written, nor `notice`. Wake the session afterwards.
   */
  settle(decision: Decision, notice?: OutboxText): Promise<boolean>;
  /**
   * Settles a call that waits for a process, as `settle` does; what only workers do. `unknown`: its turn has not stored it yet.
   * `closed`: it was settled before, or nothing is to be recorded.
   */
  settleProcess(end: ProcessEnd): Promise<"settled" | "closed" | "unknown">;
  /** Those that wait anywhere for somebody's approval, the first to expire first, 200 at a time. `after`: see `next`. */
  questions(after?: string): Promise<QuestionPage>;
  /**
   * Settles a call that waits for approval as denied by the operator's rules, as `settle` does; what only workers do. `reason` is
   * the rule's text.
   */
  forbid(call: Pick<OpenCall, "id" | "sessionKey">, reason: string): Promise<boolean>;
  /** Those that wait for a process whose worker is gone, at most 100. */
  abandoned(): Promise<readonly OpenCall[]>;
  /** The newest 100 that count in a session, its own and those of its account for ever. */
  grants(sessionKey: SessionKey, accountId: AccountId): Promise<readonly StoredGrant[]>;
  /** Who gave them and as what, the newest 1,000 of all. */
  givenGrants(): Promise<readonly GivenGrant[]>;
  /** Also what was started in the background under it. */
  removeGrant(id: string): Promise<void>;
  /** One of them, with the session that it was given in. */
  findGrant(id: string): Promise<(StoredGrant & { readonly sessionKey: SessionKey }) | undefined>;
  /** Of all accounts, the newest first, at most 20. */
  homes(): Promise<readonly Home[]>;
  /** Where owners are told: their homes, or, as long as nobody has any, the direct conversation in which one of them wrote last. */
  ownersPlaces(): Promise<readonly Home[]>;
  /** An owner writes in a direct conversation. */
  noteOwnerPlace(place: Home): Promise<void>;
  /** The newest such conversation of each owner and account, at most 200. */
  notedPlaces(): Promise<readonly Home[]>;
  /** Nobody is told there until it is woken. What was noted of this owner and account is forgotten. */
  restHome(home: Home): Promise<void>;
  /** The newest, at most 200. */
  restingHomes(): Promise<readonly Home[]>;
  wakeHome(home: Home): Promise<void>;
}
