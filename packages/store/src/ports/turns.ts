import type {
  Conversation,
  InboundEvent,
  Instant,
  MessageId,
  ProcessId,
  Role,
  Sender,
  SessionKey,
  TurnId,
} from "@talaria/protocol";
import type { BusyMode, Overheard } from "./inbox.ts";
import type { OutboxText } from "./outbox.ts";

/** The right to write to one session. Valid while the worker's own lease lives and no higher fence exists. */
export interface SessionLease {
  readonly sessionKey: SessionKey;
  readonly holder: ProcessId;
  readonly fence: number;
}

export interface PendingEvent {
  readonly seq: number;
  readonly event: InboundEvent;
  readonly route: Conversation;
  readonly mode: BusyMode;
  /** What the sender may do, as decided when the event came in. Absent: a guest. */
  readonly role?: Role;
  readonly recordedAt: Instant;
  /** Neighbours with the same value are the parts of one text. */
  readonly paste?: string;
  /** What was said before it and not to us, oldest first. */
  readonly overheard?: readonly Overheard[];
}

/** One entry of a transcript as stored. Its inside belongs to the agent package, which checks it when reading. */
export interface StoredEntry {
  readonly kind: string;
}

/** How a person ended a turn early: by a command, or by writing in a session with busy mode `interrupt`. */
export type Cancellation = "stopped" | "superseded";

/** A turn that began and has not ended: the previous holder died. */
export interface OpenTurn {
  readonly turnId: TurnId;
  readonly firstSeq: number;
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  /** What the turn has written so far, oldest first. */
  readonly journal: readonly StoredEntry[];
  /** How often it was taken over in the last ten minutes, this claim included. */
  readonly resumes: number;
  /** A person stopped it, or interrupted it by a newer message: end it as aborted. */
  readonly cancelled?: Cancellation;
}

export interface Claim {
  readonly lease: SessionLease;
  /** The conversation the session belongs to, as its first event described it. */
  readonly conversation: Conversation;
  /** The system prompt frozen for this memory, when a turn has been run in it. */
  readonly prompt?: string;
  /** Entries of settled turns of this memory, oldest first, at most `historyEntries`, never half a turn. */
  readonly history: readonly StoredEntry[];
  readonly open?: OpenTurn;
  /** Events without a turn, in order, at most `pendingEvents`. Events a person has stopped are dropped before. */
  readonly pending: readonly PendingEvent[];
}

export interface TurnStart {
  readonly turnId: TurnId;
  readonly take: readonly number[];
  /** Events that never need an answer, for example deleted before they were read. */
  readonly drop: readonly { readonly seq: number; readonly reason: string }[];
  readonly route: Conversation;
  readonly replyTo?: MessageId;
  readonly entries: readonly StoredEntry[];
  /** Frozen for the memory by its first turn; ignored afterwards. */
  readonly prompt: string;
}

export interface TurnEnd {
  readonly turnId: TurnId;
  readonly outcome: "completed" | "failed" | "aborted";
  /** Short code for an operator, for example `superseded`, `crash_loop`, `rate_limited`. */
  readonly reason?: string;
  readonly entries: readonly StoredEntry[];
  /** The turn must not come back as history, for example since it crashed worker after worker. */
  readonly retract?: boolean;
  readonly outbox: readonly OutboxText[];
  readonly usage?: Readonly<Record<string, number>>;
}

/**
 * The worker's side of a session. Every write checks the fence and throws `conflict` when the lease is lost.
 * All lease times are database time.
 */
export interface TurnStore {
  /** Takes a free session (fence + 1) or reads it again as its holder. Undefined: a living worker has it, or nothing waits. */
  claim(
    sessionKey: SessionKey,
    holder: ProcessId,
    limits: { readonly historyEntries: number; readonly pendingEvents: number },
  ): Promise<Claim | undefined>;
  /** Marks events as taken, opens the turn, appends its first entries. One transaction. */
  begin(lease: SessionLease, start: TurnStart): Promise<void>;
  append(lease: SessionLease, turnId: TurnId, entries: readonly StoredEntry[]): Promise<void>;
  /** Gives events that arrived meanwhile with mode `steer` to the running turn, with the entries made of them. */
  steer(
    lease: SessionLease,
    turnId: TurnId,
    toEntries: (events: readonly PendingEvent[]) => readonly StoredEntry[] | Promise<readonly StoredEntry[]>,
  ): Promise<readonly StoredEntry[]>;
  /** The text shown so far, for readers that missed frames. Last write wins. */
  savePartial(lease: SessionLease, turnId: TurnId, text: string): Promise<void>;
  /** Entries, settled events, outbox and, when nothing waits any more, the release: one transaction. */
  commit(lease: SessionLease, end: TurnEnd): Promise<{ readonly released: boolean }>;
  /** Settles events without a turn (all waiting ones were deleted or stopped). */
  drop(lease: SessionLease, drops: TurnStart["drop"]): Promise<void>;
  /** Gives the session back, unless something waits: then it stays held and the answer is false. */
  release(lease: SessionLease): Promise<boolean>;
  /** Gives the session back without conditions, for a worker that shuts down; its open turn is taken up elsewhere. */
  handOver(lease: SessionLease): Promise<void>;
  /** Whether a person has ended the turn that began at `firstSeq`. */
  cancelled(lease: SessionLease, firstSeq: number): Promise<Cancellation | undefined>;
  /** Sessions with work and no living holder. Feeds the sweeper. */
  stranded(limit: number): Promise<readonly { readonly sessionKey: SessionKey; readonly fence: number }[]>;
  /** Where the answer of a turn goes, and who asked for it where. Undefined for an unknown turn. */
  asked(turnId: TurnId): Promise<Asked | undefined>;
  /** What a gateway shows of a running reply after it lost frames. */
  partial(turnId: TurnId): Promise<PartialReply | undefined>;
}

export interface Asked {
  readonly route: Conversation;
  readonly state: PartialReply["state"];
  /** The newest message among what it answers. */
  readonly answers?: { readonly conversation: Conversation; readonly messageId: MessageId };
  /** Each sender once per place, in no order. Never empty. */
  readonly askers: readonly { readonly conversation: Conversation; readonly sender: Sender }[];
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
