import type { Adapter } from "@talaria/adapter";
import { type AccountId, type Clock, isGatewayError, type Log, type MessageRef, type TurnId } from "@talaria/protocol";
import type { AccountLease, OutboxRow, OutboxStore, TurnStore } from "@talaria/store";
import type { DeliveryMetrics } from "./metrics.ts";
import type { Outage } from "./outage.ts";
import type { OutageNews } from "./outage-news.ts";
import type { Pacing } from "./pacing.ts";

export interface DeliveryDeps {
  readonly outbox: Omit<OutboxStore, "receipt">;
  readonly turns: Pick<TurnStore, "partial">;
  /**
   * Whether those who asked for a turn's answer may still have it. `asked`: who they are, where that is already known.
   * Without this function everybody may.
   */
  readonly mayAnswer?: (turnId: TurnId, asked?: OutboxRow["asked"]) => Promise<boolean>;
  /** Where reactions show how far each answer is. Elsewhere one shows long work, where nothing else does. Without it: no reactions. */
  readonly reactions?: { readonly isOn: (accountId: AccountId) => boolean; readonly asked: TurnStore["asked"] };
  /** Called when an answer that somebody has stopped is not sent after all. Expendable. */
  readonly withheld?: (turnId: TurnId) => void;
  readonly clock: Clock;
  /** From 0 up to 1, for jitter. */
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: DeliveryMetrics;
}

/** Shows people how far the answer to a message is. Expendable: nothing here rejects. */
export interface ProgressMarks {
  mark(message: MessageRef, progress: "seen"): Promise<void>;
  began(turnId: TurnId): Promise<void>;
  /** Marks how far the turn is; `isDelivered` is false if its text was given up. */
  turn(turnId: TurnId, isDelivered?: boolean): Promise<void>;
}

/** What everything that works for one attached account shares. */
export interface AccountContext extends DeliveryDeps {
  readonly accountId: AccountId;
  readonly adapter: Adapter;
  readonly lease: AccountLease;
  readonly pacing: Pacing;
  readonly outage: Outage;
  readonly outageNews: OutageNews;
  /** Aborted when the account is let go or lost: nothing new begins. */
  readonly stopping: AbortSignal;
  /** Aborted when calls in flight have had their time. */
  readonly hangUp: AbortSignal;
  /** Undefined where nothing is shown with reactions. */
  readonly marks: ProgressMarks | undefined;
  /** Another gateway holds the account now: stops everything at once. */
  readonly lost: () => void;
  /** Has the outbox read in `ms` at the latest. */
  readonly lookIn: (ms: number) => void;
}

const pauseMs = 1_000;

/**
 * Repeats a question or a write to the store while that is unavailable, until the account is let go: what a platform has
 * confirmed must not be forgotten. Rejects with `conflict` when the account is lost.
 */
export async function persist<Answer>(context: AccountContext, write: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (isGatewayError(error, "conflict")) context.lost();
      if (!isGatewayError(error, "unavailable") || context.stopping.aborted) throw error;
      context.log.warn({ accountId: context.accountId, error }, "store unavailable, trying again");
      await context.clock.sleep(pauseMs, context.stopping);
    }
  }
}
