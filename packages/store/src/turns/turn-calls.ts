import type { AccountId, EventId, Instant, ProcessId, SessionKey, TurnId } from "@talaria/protocol";
import { sqlFunction } from "../database/sql-function.ts";
import type { Ask } from "../ports/calls.ts";
import type { OutboxText } from "../ports/outbox.ts";
import type { Reached, ReachedBy, Refusal, Spender } from "../ports/spending.ts";
import type { Cancellation, SessionLease, TurnEnd, TurnStart } from "../ports/turns.ts";
import type { UsesOf } from "../spending/uses.ts";

// What a worker calls for a session it holds or wants to hold. Entries travel as JSON texts, so that the order of their keys
// survives.

/** Each may return a long history. */
const maxReads = 8;

/** When a session is given up, and what people are told then. */
export interface GiveUpRule {
  readonly failures: number;
  readonly withinMs: number;
  readonly markdown: string;
}

interface ClaimCall {
  readonly sessionKey: SessionKey;
  readonly holder: ProcessId;
  readonly giveUp: GiveUpRule;
}

interface Taken {
  readonly fence?: number;
  readonly givenUp?: { readonly accountId: AccountId | null } | null;
}

interface FailCall extends Omit<ClaimCall, "giveUp"> {
  /** Absent when the claim itself failed. */
  readonly fence?: number;
  readonly giveUp: Omit<GiveUpRule, "markdown">;
}

interface ReadCall extends SessionLease {
  readonly pendingEvents: number;
  /** Above `entries` or `bytes`, only the newest `keptEntries` and `keptBytes` are kept. */
  readonly history: Readonly<Record<"entries" | "keptEntries" | "bytes" | "keptBytes", number>>;
}

interface TurnCall extends SessionLease {
  readonly turnId: TurnId;
}

interface EntriesCall extends TurnCall, UsesOf {
  readonly entries: readonly string[];
}

interface AppendCall extends EntriesCall {
  readonly asks?: readonly Ask[];
  /** With `asks`: now, by the clock that tells when they expire. */
  readonly askedAt?: Instant;
  readonly outbox?: readonly OutboxText[];
  readonly forbidden?: readonly EventId[];
  /** How many entries of the turn its worker knows of. */
  readonly after?: number;
  readonly pass?: true;
}

type Texts<T> = Omit<T, "entries"> & SessionLease & { readonly entries: readonly string[] };
type Nothing = Readonly<Record<string, never>>;

/** These count what is spent. Counters are locked before sessions. */
const locking = { lock: "lock_spending" } as const;

/** No fence in the answer: the caller does not hold the session. */
export const claimSession = sqlFunction<ClaimCall, Taken | null>("claim_session");
/** The answer is checked by `readClaim`. */
export const readClaimed = sqlFunction<ReadCall, unknown>("read_claimed", { maxCalls: maxReads });
export const failSession = sqlFunction<FailCall, Nothing>("fail_session");
export const beginTurn = sqlFunction<
  Texts<TurnStart>,
  { readonly reached?: readonly ReachedBy[]; readonly cancelled?: Cancellation }
>("begin_turn", locking);
export const appendEntries = sqlFunction<
  AppendCall,
  { readonly reached: Reached | null; readonly cancelled: Cancellation | null }
>("append_entries", locking);
export const countEntries = sqlFunction<TurnCall, { readonly count: number }>("count_entries");
export const keepTools = sqlFunction<
  (TurnCall & { readonly tools: string }) | (TurnCall & { readonly facts: string }),
  Nothing
>("keep_tools");
export const sayElsewhere = sqlFunction<TurnCall & { readonly text: OutboxText }, { readonly ended?: true }>(
  "say_elsewhere",
);
export const readReached = sqlFunction<
  { readonly sessionKey: SessionKey; readonly spenders: readonly Spender[] },
  { readonly reached: readonly ReachedBy[] }
>("read_reached");
/** The events are checked by `readPendingEvents`. */
export const readSteered = sqlFunction<TurnCall & { readonly atMost: number }, { readonly events: unknown }>(
  "read_steered",
);
export const takeSteered = sqlFunction<
  EntriesCall & { readonly take: readonly number[]; readonly spenders: readonly Spender[] },
  { readonly taken: boolean; readonly reached?: readonly ReachedBy[] }
>("take_steered", locking);
export const savePartial = sqlFunction<TurnCall & { readonly text: string }, Nothing>("save_partial");
export const commitTurn = sqlFunction<Texts<TurnEnd> & UsesOf, { readonly released: boolean }>("commit_turn", locking);
export const suspendTurn = sqlFunction<TurnCall, { readonly released: boolean }>("suspend_turn");
export const dropEvents = sqlFunction<SessionLease & Refusal, Nothing>("drop_events", locking);
export const releaseSession = sqlFunction<SessionLease, { readonly released: boolean }>("release_session");
export const handOver = sqlFunction<SessionLease, Nothing>("hand_over");
