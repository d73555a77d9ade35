import type { AccountId, SessionKey, TurnId, UserId } from "@talaria/protocol";

/** What usage can be added up by. A turn of several people counts whole for each: sums by person may exceed the whole. */
export const usageGroups = [
  "day",
  "person",
  "model",
  "purpose",
  "account",
  "conversation",
  "session",
  "turn",
  "total",
] as const;

export type UsageGroup = (typeof usageGroups)[number];

export type UsageQuery = UsageFilter & (UsageLately | UsageOfDay);

/** Milliseconds from now back. */
export interface UsageLately {
  readonly withinMs: number;
}

/** A whole day of `timeZone`, such as `2026-11-22`: 23 or 25 hours where clocks are put forward or back. */
export interface UsageOfDay {
  readonly day: string;
}

interface UsageFilter {
  readonly by: UsageGroup;
  /** Where days begin: a name of the IANA database, which the server of the database has to know too. Default: UTC. */
  readonly timeZone?: string;
  readonly accountId?: AccountId;
  /** Answers in turns that hold words of this person; of all whose id nobody has checked, with the id `(unverified)`. */
  readonly person?: { readonly accountId: AccountId; readonly userId: UserId | "(unverified)" };
  /** Answers of this turn alone. */
  readonly turn?: { readonly sessionKey: SessionKey; readonly turnId: TurnId };
  /** Rows, at most. */
  readonly limit: number;
}

/** What the answers of models have used, added up. `cachedTokens` and `cacheWriteTokens` are parts of the input. */
export interface Usage {
  /**
   * A day such as `2026-11-22`; a person as `<account>/<id>`, empty where no person had asked; a model of the configuration
   * with its provider; `turns` or `memory`, what models were asked for; an account; a conversation as `<account>/<id>`; a session; a turn. Empty for the total.
   */
  readonly of: string;
  readonly answers: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** In millionths of the operator's currency, of the answers whose price was known. Absent: it was known for none. */
  readonly cost?: number;
  /** Answers whose price was unknown. */
  readonly unpriced: number;
}
