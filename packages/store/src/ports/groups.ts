import type { AccountId, Conversation, ConversationId, Instant, Platform, Sender } from "@talaria/protocol";
import type { GroupDecision } from "./group-decision.ts";
import type { OutboxText } from "./outbox.ts";

/** A group that the configuration does not list. */
export interface MetGroup {
  readonly accountId: AccountId;
  readonly conversationId: ConversationId;
  readonly platform: Platform;
  /** People choose it. */
  readonly title?: string;
  /** How many messages nobody answered since the group is not let in: exact up to 1,000. */
  readonly messages: number;
  readonly lastAt: Instant;
  /** When an operator or an owner let it in. */
  readonly allowedAt?: Instant;
  /** What the buttons of the question about it call it: 16 hexadecimal digits. Absent: nobody was asked. */
  readonly id?: string;
  readonly decision?: GroupDecision;
}

/** A question to owners about one group. */
export interface GroupQuestion {
  readonly group: Conversation;
  /** An owner has brought us there. */
  readonly isAdded: boolean;
  /** The question, for each owner who is asked. `id`: 16 random hexadecimal digits; the keys of the texts begin with `group:<id>:`. */
  readonly texts: (id: string) => readonly OutboxText[];
}

/** `by` decides about the group with this id. Nothing happens to one about which somebody has decided. */
export interface DecidedGroup {
  readonly id: string;
  readonly to: GroupDecision;
  readonly by: Sender;
}

/** Groups that are let in beyond the configured lists, and those where somebody wrote in vain. */
export interface GroupStore {
  /** Those that were let in first, then the newest. */
  list(): Promise<readonly MetGroup[]>;
  /** Counts from the next message on, until `remove`. One that was let in before stays so. */
  allow(group: Pick<MetGroup, "accountId" | "conversationId" | "platform">): Promise<void>;
  /** Whether nobody was asked about it, nor decided. */
  isUnasked(group: Pick<Conversation, "accountId" | "conversationId">): Promise<boolean>;
  /**
   * Asks owners about a group, once; again where it was ignored or left and an owner adds us anew. Of groups to which no owner has added
   * us, five an hour on each account. False: nobody was asked now.
   */
  ask(question: GroupQuestion): Promise<boolean>;
  /** Ends what runs and drops what waits there. False: it was not let in by `allow`. */
  remove(group: Pick<MetGroup, "accountId" | "conversationId">): Promise<boolean>;
}
