import type { AccountId, Conversation, ConversationId, DeliveryKey, Role, UserId } from "@talaria/protocol";
import type { OutboxText } from "./outbox.ts";

/** A counter that a turn is charged to. */
export interface SpenderCharge {
  /** `<unit>/<scope>/<ids>`: the same for everybody who shares the counter. */
  readonly key: string;
  readonly unit: "turns" | "tokens" | "money";
  readonly windowMs: number;
  /** Reached at this value; money in millionths of the currency. Null: counted, never refused. */
  readonly max: number | null;
}

/** Somebody whose words go into a turn. */
export interface Spender {
  readonly charges: readonly SpenderCharge[];
  /** Is charged also when a limit is reached: what it pays for must not be lost. */
  readonly neverRefused?: true;
}

/** A counter that stands at its limit, and when its window ends. */
export interface Reached {
  readonly key: string;
  readonly endsInMs: number;
}

export interface ReachedBy extends Reached {
  /** The place of the spender in the list, from 0. */
  readonly n: number;
}

/** The text goes out unless people were told in this window already. */
export interface RefusalNotice {
  readonly key: string;
  readonly windowMs: number;
  /** How many events the limit has cost. */
  readonly events: number;
  readonly text?: OutboxText;
  /** The same wherever an owner is asked. Its delivery key is made longer by the place. */
  readonly atHomes?: Omit<OutboxText, "conversation">;
}

export interface Refusal {
  /** `limit`: the counter because of which it is dropped. Whoever lifts its limit has the event taken up again. */
  readonly drop: readonly { readonly seq: number; readonly reason: string; readonly limit?: string }[];
  readonly notices: readonly RefusalNotice[];
}

/**
 * Messages of people that a limit has refused within its window wait again, in their order, behind everything of their sessions. Not
 * those that were stopped or taken back since, that are too old or too many, or after which their sender was heard again: those are left,
 * and their place is told.
 */
export interface TakingUp {
  /** Only messages of these people in these conversations, with no more rights than they have here. */
  readonly askers: readonly {
    readonly accountId: AccountId;
    readonly conversationId: ConversationId;
    readonly userId: UserId;
    readonly role: Role;
  }[];
  readonly withinMs: number;
  /** The newest of each session. */
  readonly mostEach: number;
  /** Those in which something was refused last. */
  readonly mostSessions: number;
  /** Of the notices; each place makes it longer. */
  readonly deliveryKey: DeliveryKey;
  /** Of the notice about the limit, in whose message a group reads that all were taken up: their answers are new messages. */
  readonly subject: string;
  /** What a place is told where all were taken up, some, or none. */
  readonly taken: string;
  readonly both: string;
  readonly left: string;
  /** The same in a direct conversation, where it is told in other words. */
  readonly alone?: { readonly taken: string; readonly both: string; readonly left: string };
  /** This conversation is told by the settlement's own notice, unless something was left there. */
  readonly except: Pick<Conversation, "accountId" | "conversationId">;
}
