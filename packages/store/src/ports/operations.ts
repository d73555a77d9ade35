import type {
  AccountId,
  Asker,
  Conversation,
  ConversationId,
  EventId,
  Instant,
  MessageId,
  ProcessId,
  Role,
  Sender,
  SessionKey,
  TurnId,
  UserId,
} from "@talaria/protocol";
import type { AccountRow } from "./accounts.ts";
import type { Chosen } from "./chosen.ts";
import type { RecentEvent, RecentQuery } from "./recent.ts";
import type { ShutPlaces } from "./shut-places.ts";
import type { Usage, UsageQuery } from "./usage.ts";
import type { Whereabouts, WhereaboutsQuery } from "./whereabouts.ts";

/** How many messages of people wait in a session, the names of the first five who wrote them, and how many more people did. */
export interface WaitingFrom {
  readonly messages: number;
  readonly names: readonly string[];
  readonly more: number;
}

export interface ProcessRow {
  readonly id: ProcessId;
  readonly kind: "gateway" | "worker";
  readonly host: string;
  readonly pid: number;
  /** The `talaria start` that it belongs to; absent for one that runs by itself. */
  readonly supervisor?: string;
  readonly startedAt: Instant;
  readonly leaseEndsAt: Instant;
  /** Running turns, loop delay, metrics: whatever the process reports. */
  readonly stats: Readonly<Record<string, unknown>>;
}

/** The server as it says of itself. */
export interface DatabaseServer {
  /** `18.4`. */
  readonly version: string;
  /** Of our database alone. */
  readonly databaseBytes: number;
  readonly now: Instant;
}

/** Who is alive. A worker's sessions are free once its lease has ended. */
export interface ProcessStore {
  register(process: Pick<ProcessRow, "id" | "kind" | "host" | "pid" | "supervisor">, ttlMs: number): Promise<void>;
  /** Returns false when the lease had already ended: others may hold what the process held. */
  renew(id: ProcessId, ttlMs: number, stats: ProcessRow["stats"]): Promise<boolean>;
  /** Frees everything that the process held. Also used for a process that is known to be dead. */
  retire(id: ProcessId): Promise<void>;
  /** Living processes only. */
  list(): Promise<readonly ProcessRow[]>;
  /** How many connections the server allows at a time beside those it reserves. */
  mostConnections(): Promise<number>;
  server(): Promise<DatabaseServer>;
}

/** Counts for metrics, status and readiness. */
export interface Backlog {
  readonly waitingEvents: number;
  /** Those of them whose session has a turn. */
  readonly behindTurns: number;
  /** The others that wait for attachments or further parts of their message, or for an event that does. */
  readonly deferredEvents: number;
  readonly runningTurns: number;
  /** Open turns that only wait for people, or of which a call asks some. */
  readonly suspendedTurns: number;
  readonly pendingDeliveries: number;
  /** Texts that were given up, and sent texts that the platform later reported as failed. */
  readonly failedDeliveries: number;
  /** Age of the oldest event without a turn, in milliseconds; 0 when none waits. */
  readonly oldestWaitingMs: number;
  readonly oldestDeliveryMs: number;
  /** Sessions that were given up and have answered nothing since. */
  readonly setAsideSessions: number;
  /** How often a part was sent again because an earlier outcome was unknown, since the database exists. */
  readonly possibleDuplicates: number;
}

export interface TraceStep {
  readonly at: Instant;
  /** `received`, `recorded`, `refused`, `turn began`, `resumed`, `model answered`, `tool`, `conversation compressed`, `turn ended`, `sending`, `sent`, `failed` ... */
  readonly step: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface Trace {
  readonly accountId: AccountId;
  readonly eventId?: EventId;
  readonly sessionKey?: SessionKey;
  readonly turnId?: TurnId;
  /** In order of time. Carries no message text. */
  readonly steps: readonly TraceStep[];
}

/** How many calls of a turn have a result, and how many of those failed. */
export interface StepCount {
  readonly count: number;
  readonly failed: number;
}

/** A call of a turn, in words for people, with the beginning of what came of it. `open`: it has no result. */
export type ChatStep =
  | { readonly label: string; readonly state: "open" }
  | {
      readonly label: string;
      readonly state: "done" | "failed";
      readonly result: string;
      readonly leftOutChars: number;
    };

export interface ChatSteps {
  /** The newest 200, oldest first, each with at most 2,000 characters of its result. */
  readonly steps: readonly ChatStep[];
  /** How many came before them. */
  readonly earlier: number;
}

export interface SessionSummary {
  readonly sessionKey: SessionKey;
  readonly waiting: number;
  /** A turn is open. */
  readonly running: boolean;
  /** It only waits for people, or a call of it does. */
  readonly asking: boolean;
  readonly turns: number;
  readonly chosen?: Chosen;
  readonly startedAt?: Instant;
  /** When the session was given up because its workers kept failing. Absent once a turn has ended since. */
  readonly setAsideAt?: Instant;
}

/** A call that waits for people. Carries no words of it. */
export interface WaitingQuestion {
  readonly id: string;
  /** Of the tool; `question` for what a call asks while it runs. */
  readonly name: string;
  readonly waitsFor: "approval" | "form";
  /** The role that may decide. Absent: whoever asked the agent answers. */
  readonly approver?: Role;
  readonly askers: readonly Asker[];
  /** Where its answer goes. */
  readonly route: Conversation;
  readonly askedAt: Instant;
  readonly expiresAt: Instant;
  /** The conversations with a message that asks, or that is on its way. */
  readonly told: readonly {
    readonly accountId: AccountId;
    readonly conversationId: ConversationId;
    readonly isSent: boolean;
  }[];
}

/** Answers and questions of one session that were given up on their way out. */
export interface Undelivered {
  readonly sessionKey: SessionKey;
  readonly texts: number;
  /** When the last of them was given up. */
  readonly at: Instant;
}

/** A counter of what was spent, as it stands now. */
export interface Spent {
  /** `<unit>/<scope>/<ids>`. */
  readonly key: string;
  readonly used: number;
  /** The limit when it was last used; absent when there was none. */
  readonly max?: number;
  readonly endsInMs: number;
  /** Events that were refused in this window. */
  readonly refused: number;
  /** An owner has lifted the limit, for so long from now. */
  readonly liftedForMs?: number;
}

export interface Pruned {
  readonly removed: number;
  /** Tables that could not be pruned, as the log says; the others were. */
  readonly failed: readonly string[];
}

/** Reads for people: status, traces, history. */
/** What to look for among the conversations that have been used. Whatever is missing means all of it. */
export interface PlaceSearch {
  readonly platform?: string;
  readonly accountId?: string;
  /** The conversation's id, of one with several people. */
  readonly groupId?: string;
  /** Who writes in it, of a direct one. */
  readonly userId?: string;
  /** A part of the title, or of that person's name. */
  readonly name?: string;
  /** Each of them has to have written there, as far as the newest 500 events tell. */
  readonly participants?: readonly { readonly accountId: AccountId; readonly userId: UserId }[];
  readonly limit: number;
}

export interface Place {
  readonly conversation: Conversation;
  readonly person?: { readonly userId: string; readonly displayName: string };
  /** An owner is asked there. */
  readonly isHome: boolean;
}

/** Where a session takes place, as people know it. */
export interface NamedSession extends Omit<Place, "isHome"> {
  readonly sessionKey: SessionKey;
}

export interface OperationsStore {
  backlog(): Promise<Backlog>;
  accounts(): Promise<readonly AccountRow[]>;
  /**
   * Sessions whose oldest event has waited or run for longer than `olderThanMs`, longest first, and after them those that were
   * given up.
   */
  stuck(olderThanMs: number, limit: number): Promise<readonly (SessionSummary & { readonly waitedMs: number })[]>;
  /** What waits for people, the oldest first, at most `limit`; how much there is in all, and how much of it is to be approved. */
  questions(limit: number): Promise<{
    readonly questions: readonly WaitingQuestion[];
    readonly all: number;
    readonly approvals: number;
  }>;
  /** Sessions with answers or questions that were given up within a week, the latest first. Not those who may not have them. */
  undelivered(limit: number): Promise<readonly Undelivered[]>;
  /** Lets the gateway send again what `undelivered` counts of a session, of any age. Returns how many texts that are. */
  retryUndelivered(sessionKey: SessionKey): Promise<number>;
  /** Where platforms let the agent write no more. */
  shutPlaces(): Promise<ShutPlaces>;
  /** Counters whose window is open, of those named. */
  spent(keys: readonly string[]): Promise<readonly Spent[]>;
  /** Those of them that are reached and are named so: see `limitId` in the policy package. */
  spentNamed(id: string): Promise<readonly Spent[]>;
  /** The people whose words this limit has refused and that wait for nothing, once for each of their conversations. At most 500, the latest. */
  refusedBy(key: string): Promise<readonly { readonly conversation: Conversation; readonly sender: Sender }[]>;
  /** Counters of accounts and the total, and of everything that has reached its limit: the fullest first. */
  spending(limit: number): Promise<readonly Spent[]>;
  /** What models were used for, and what it cost. Days newest first, all else the most expensive first. */
  usage(query: UsageQuery): Promise<readonly Usage[]>;
  session(sessionKey: SessionKey): Promise<SessionSummary | undefined>;
  waitingFrom(sessionKey: SessionKey): Promise<WaitingFrom>;
  /** Whether an answer of the newest 20 turns is on its way out. */
  answerWaits(sessionKey: SessionKey): Promise<boolean>;
  /** Those of them that are known, in any order, with their newest titles; of direct conversations with who writes there. */
  named(sessionKeys: readonly SessionKey[]): Promise<readonly NamedSession[]>;
  /** Where the answer to a message stands. Undefined: no turn of this session ever had it or will. */
  whereabouts(query: WhereaboutsQuery): Promise<Whereabouts | undefined>;
  /**
   * Lets a session that was given up try again with the messages that were dropped then, except for those before a
   * later stop or reset. Returns how many wait again; a sweep wakes the session.
   */
  retrySetAside(sessionKey: SessionKey): Promise<number>;
  /** By event id, platform message id (in or out) or turn id. */
  trace(id: string): Promise<readonly Trace[]>;
  /** What became of the newest messages that fit, the newest first. Looks at the newest 20,000 events. */
  recent(query: RecentQuery): Promise<readonly RecentEvent[]>;
  /** Those turns that have called something. */
  stepCounts(turnIds: readonly TurnId[]): Promise<ReadonlyMap<TurnId, StepCount>>;
  /** What a turn of this conversation did, as its journal says; of any other turn nothing. */
  steps(accountId: AccountId, conversationId: ConversationId, turnId: TurnId): Promise<ChatSteps>;
  /** Homes first, then the newest; none of webhooks, and none that we were called into. Looks at the newest 20,000 sessions. */
  places(search: PlaceSearch): Promise<readonly Place[]>;
  /** Message ids of ours, so that an adapter can tell replies to us. */
  sentByUs(accountId: AccountId, conversationId: ConversationId, messageId: MessageId): Promise<boolean>;
  /** What was written on a button of a message of ours. Undefined for a message or button that is not ours. */
  choiceLabel(
    conversation: Pick<Conversation, "accountId" | "conversationId">,
    messageId: MessageId,
    choiceId: string,
  ): Promise<string | undefined>;
  /**
   * Removes settled rows older than this many days, and sessions without any activity for as long. Does nothing while
   * another process is pruning. May be aborted at any moment; the next call continues.
   */
  prune(olderThanDays: number, signal: AbortSignal): Promise<Pruned>;
}
