import type {
  AccountId,
  BusyMode,
  Conversation,
  EventId,
  Instant,
  MessageId,
  ProcessId,
  Role,
  SessionEvent,
  SessionKey,
  TurnId,
} from "@talaria/protocol";
import type { Ask, StoredGrant } from "./calls.ts";
import type { Chosen } from "./chosen.ts";
import type { StoredContext } from "./memories.ts";
import type { Askers, OutboxText } from "./outbox.ts";
import type { Overheard } from "./overheard.ts";
import type { Reached, ReachedBy, Refusal, RefusalNotice, Spender } from "./spending.ts";
import type { EndedCall, Said, UndeliveredText } from "./told.ts";

/** The right to write to one session. Valid while the worker's own lease is valid and no higher fence exists. */
export interface SessionLease {
  readonly sessionKey: SessionKey;
  readonly holder: ProcessId;
  readonly fence: number;
}

export interface PendingEvent {
  readonly seq: number;
  readonly event: SessionEvent;
  readonly route: Conversation;
  readonly mode: BusyMode;
  /** What the sender may do, as decided when the event came in. Absent: a guest. */
  readonly role?: Role;
  readonly recordedAt: Instant;
  /** Neighbours with the same value are the parts of one text. */
  readonly paste?: string;
  /** What was said before it but not to the agent, oldest first. */
  readonly overheard?: readonly Overheard[];
}

/** One entry of a transcript as stored. Its content belongs to the agent package, which checks it when reading. */
export interface StoredEntry {
  readonly kind: string;
  /** Of the result of a call that did not run: the event by which it had been approved. The rules forbid it by now. */
  readonly forbidden?: EventId;
  /** The provider's name for the model that gave an answer. */
  readonly model?: string;
  /** What the provider counted for an answer, and what it costs. */
  readonly usage?: StoredUsage | undefined;
}

/** `cachedTokens` and `cacheWriteTokens` are parts of the input, `reasoningTokens` of the output. */
interface StoredUsage {
  readonly inputTokens: number;
  readonly cachedTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly outputTokens: number;
  readonly reasoningTokens?: number;
  /** Its name in the configuration. */
  readonly model?: string;
  readonly provider?: string;
  /** In millionths of the operator's currency. Absent: the price is unknown. */
  readonly cost?: number;
  /** What it counts for limits of tokens. Absent: as many as went in and out. */
  readonly worth?: number;
}

/** How a person ended a turn early: by a command, or by writing in a session with busy mode `interrupt`. */
export type Cancellation = "stopped" | "superseded";

/** Entries are written, and why the turn has to end. */
export interface Appended {
  /** Nobody can pay for another answer. */
  readonly reached?: Reached;
  readonly cancelled?: Cancellation;
}

/** A turn that began and has not ended: the previous holder died or handed it over. */
export interface OpenTurn {
  readonly turnId: TurnId;
  readonly firstSeq: number;
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  /** What the turn has written so far, oldest first. */
  readonly journal: readonly StoredEntry[];
  /** How many holders died or failed in the last ten minutes, since the last turn ended. */
  readonly failures: number;
  /** A person stopped it, or interrupted it by a newer message: end it as aborted. */
  readonly cancelled?: Cancellation;
}

export interface Claim {
  readonly lease: SessionLease;
  /** The conversation the session belongs to, as its first event described it. */
  readonly conversation: Conversation;
  /** The system prompt frozen for this memory, when a turn has been run in it. */
  readonly prompt?: string;
  /** What its prompt tells of what is kept beyond the memory. */
  readonly facts?: string;
  /** Milliseconds since the memory's newest entry, by the database's clock. Absent: it has none, or a turn is open. */
  readonly idleMs?: number;
  /** What `keepTools` has written for this memory. */
  readonly tools?: string;
  /** Absent: nothing was chosen. */
  readonly chosen?: Chosen;
  /** Somebody wants the memory compressed before anything else. Until the end of the next turn. */
  readonly compact?: true;
  /**
   * Entries of settled turns of this memory, oldest first, within the limits and in whole turns. Of a single turn that
   * exceeds half of the limits, only the beginning and the end.
   */
  readonly history: readonly StoredEntry[];
  readonly open?: OpenTurn;
  /** What the agent has said here from other conversations since the last turn: the newest 20, oldest first. */
  readonly said?: readonly Said[];
  /** Answers of this session that were given up or stopped since the last turn: the newest 5, oldest first. */
  readonly undelivered?: readonly UndeliveredText[];
  /**
   * Calls of turns in this memory that went on beside them and that somebody has ended, or whose end nobody tells any more, as no
   * turn of this memory was told: the newest 20, oldest first.
   */
  readonly endedCalls?: readonly EndedCall[];
  /** Calls of other turns here that wait for approval or for an answer. */
  readonly questions: number;
  /** What people have agreed to before, at most 100. */
  readonly grants: readonly StoredGrant[];
  /** Events without a turn, in order, at most `pendingEvents`. Events a person has stopped are dropped before. */
  readonly pending: readonly PendingEvent[];
}

/** The most that a claim returns. */
export interface ClaimLimits {
  readonly historyEntries: number;
  /** Bytes of the entries as stored, in UTF-8. */
  readonly historyBytes: number;
  readonly pendingEvents: number;
  /**
   * What people are told when a session is given up: three holders within ten minutes died, could not read the session,
   * or could not begin a turn. A hand-over does not count.
   */
  readonly givenUpMarkdown: string;
}

export interface Stranded {
  readonly sessionKey: SessionKey;
  readonly fence: number;
}

export interface TurnStart {
  readonly turnId: TurnId;
  readonly take: readonly number[];
  /** Events that never need an answer, for example deleted before they were read. */
  readonly drop: readonly { readonly seq: number; readonly reason: string }[];
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  readonly entries: readonly StoredEntry[];
  /** Those of `Claim.said` and `Claim.undelivered` that the entries tell of: no other turn is told. */
  readonly said?: readonly number[];
  /** Those of `Claim.endedCalls` that the entries tell of. */
  readonly endedCalls?: readonly string[];
  /** Frozen for the memory by its first turn; ignored afterwards. */
  readonly prompt: string;
  /** The part of it that tells what is kept beyond the memory: frozen with it, and by a later turn put in the place of the one before. */
  readonly facts?: string;
  /** Who pays for the turn. Without any, nothing is counted. */
  readonly spenders?: readonly Spender[];
  /** Tokens that its first answer is about to take, as a careful guess: until it is counted, nobody else can spend them. */
  readonly reserves?: number;
}

/** A call that is answered later, and what people are asked. Without texts, nobody is asked. */
export interface AskedOf {
  readonly ask: Ask;
  readonly texts?: readonly OutboxText[];
}

/** Who pays when a running turn takes in what people have said meanwhile. */
export interface SteeringCosts<One extends Spender> {
  readonly spendersOf: (events: readonly PendingEvent[]) => readonly One[];
  /** What becomes of the events of spenders that have reached a limit. */
  readonly refuse: (spenders: readonly One[], reached: readonly ReachedBy[]) => Refusal;
}

export interface TurnEnd {
  readonly turnId: TurnId;
  readonly outcome: "completed" | "failed" | "aborted";
  /** Short code for an operator, for example `superseded`, `crash_loop`, `rate_limited`. */
  readonly reason?: string;
  readonly entries: readonly StoredEntry[];
  /** Keeps the turn out of the history. */
  readonly retract?: boolean;
  readonly outbox: readonly OutboxText[];
  readonly usage?: Readonly<Record<string, number>>;
  /** What filled the model's window at the end. Kept with the memory. */
  readonly context?: StoredContext;
}

/**
 * The worker's side of a session. Every write checks the fence and throws `conflict` when the lease is lost.
 * All lease times are database time.
 */
export interface TurnStore {
  /**
   * Takes a free session (fence + 1), or reads it again as its holder. Returns undefined when another living worker has
   * it, nothing waits, or it was given up just now. Throws `internal` when this release cannot read the session; that
   * counts as a failure, and the session is free again.
   * Calls `deliver` when giving up put a notice into the outbox of an account.
   */
  claim(
    sessionKey: SessionKey,
    holder: ProcessId,
    limits: ClaimLimits,
    deliver?: (accountId: AccountId) => void,
  ): Promise<Claim | undefined>;
  /**
   * Marks events as taken, opens the turn, appends its first entries, counts the turn. One transaction. When spenders have
   * reached a limit it answers with those, and nothing was written. `cancelled`: a person has ended it since it was claimed.
   */
  begin(
    lease: SessionLease,
    start: TurnStart,
  ): Promise<{ readonly reached: readonly ReachedBy[]; readonly cancelled?: Cancellation }>;
  /** Those of the spenders that have reached a limit. `begin` asks again. */
  reached(lease: SessionLease, spenders: readonly Spender[]): Promise<readonly ReachedBy[]>;
  /** Keeps a text about the tools that this memory's prompt is shown, in place of the one before. */
  keepTools(lease: SessionLease, turnId: TurnId, tools: string): Promise<void>;
  /** The same of the part of the prompt that tells what is kept beyond the memory. */
  keepFacts(lease: SessionLease, turnId: TurnId, facts: string): Promise<void>;
  /** Puts a text for another conversation into the outbox, once for each delivery key. */
  say(lease: SessionLease, turnId: TurnId, text: OutboxText): Promise<void>;
  /**
   * Also counts what the entries have used, and adds the calls among them that are answered later, each with the text that asks
   * people. Answers with what ends the turn now, so that no call runs for people who have stopped it or have lost the right to it. With
   * `after`, how many entries of the turn its worker knows of, the same call may be made again when its answer was lost: it writes once.
   * With `pass`, what was said until then is gone through for facts: see `PassStore`.
   */
  append(
    lease: SessionLease,
    turnId: TurnId,
    entries: readonly StoredEntry[],
    asks?: readonly AskedOf[],
    after?: number,
    pass?: boolean,
  ): Promise<Appended>;
  /** How many entries the turn has. Waits for a write that is under way. */
  written(lease: SessionLease, turnId: TurnId): Promise<number>;
  /**
   * Releases the session and leaves its turn open until something waits. False when something does already, or a person has
   * ended the turn: then nothing is written.
   */
  suspend(lease: SessionLease, turnId: TurnId): Promise<boolean>;
  /**
   * Gives the first 50 events that arrived meanwhile with mode `steer` to the running turn, with the entries made of them. Events of
   * spenders that have reached a limit are refused first. Without `costs`, nobody new pays.
   */
  steer<One extends Spender>(
    lease: SessionLease,
    turnId: TurnId,
    toEntries: (events: readonly PendingEvent[]) => readonly StoredEntry[] | Promise<readonly StoredEntry[]>,
    costs?: SteeringCosts<One>,
  ): Promise<readonly StoredEntry[]>;
  /** Whether `steer` would find what somebody has said. Settled calls are no such thing. The answer may be outdated. */
  wordsWait(lease: SessionLease, turnId: TurnId): Promise<boolean>;
  /** The text shown so far, for readers that missed frames. Last write wins. */
  savePartial(lease: SessionLease, turnId: TurnId, text: string): Promise<void>;
  /**
   * Entries, settled events, outbox and, when nothing waits any more, the release: one transaction. An answer that somebody has stopped meanwhile is
   * withheld, or, where its beginning is shown, ends with that.
   */
  commit(lease: SessionLease, end: TurnEnd): Promise<{ readonly released: boolean }>;
  /** Settles events without a turn: deleted, stopped, or refused with notices. */
  drop(lease: SessionLease, drops: Refusal["drop"], notices?: readonly RefusalNotice[]): Promise<void>;
  /** Releases the session. When something waits, keeps it instead and returns false. */
  release(lease: SessionLease): Promise<boolean>;
  /** Releases the session unconditionally, for a worker that shuts down. Another worker resumes its open turn. */
  handOver(lease: SessionLease): Promise<void>;
  /** Releases the session because of an error, which counts as a failure: see `givenUpMarkdown`. */
  fail(lease: SessionLease): Promise<void>;
  /** Whether a person has ended the turn that began at `firstSeq`. */
  cancelled(lease: SessionLease, firstSeq: number): Promise<Cancellation | undefined>;
  /**
   * Returns a page of the sessions that have work but no living holder: those after `after`, in the order of their
   * keys. Looks at no more than a thousand sessions with work; `next` is the last of them when there may be more.
   */
  stranded(after?: SessionKey): Promise<{ readonly sessions: readonly Stranded[]; readonly next?: SessionKey }>;
  /** Returns where the answer of a turn goes, and who asked for it where. Undefined for an unknown turn. */
  asked(turnId: TurnId): Promise<Asked | undefined>;
  /** What a gateway shows of a running reply after it lost frames. */
  partial(turnId: TurnId): Promise<PartialReply | undefined>;
}

export interface Asked extends Askers {
  readonly state: PartialReply["state"];
  /** The newest message among what it answers. */
  readonly answers?: { readonly conversation: Conversation; readonly messageId: MessageId };
}

export interface PartialReply {
  readonly turnId: TurnId;
  readonly sessionKey: SessionKey;
  readonly fence: number;
  readonly state: "running" | "completed" | "failed" | "aborted";
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  readonly text: string;
}
