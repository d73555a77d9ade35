import type { AccountId, ConversationId, Instant, Platform } from "@talaria/protocol";

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
  /** When an operator let it in. */
  readonly allowedAt?: Instant;
}

/** Groups that are let in beyond the configured lists, and those where somebody wrote in vain. */
export interface GroupStore {
  /** Those that were let in first, then the newest. */
  list(): Promise<readonly MetGroup[]>;
  /** Counts from the next message on, until `remove`. One that was let in before stays so. */
  allow(group: Pick<MetGroup, "accountId" | "conversationId" | "platform">): Promise<void>;
  /** Ends what runs and drops what waits there. False: it was not let in by `allow`. */
  remove(group: Pick<MetGroup, "accountId" | "conversationId">): Promise<boolean>;
}
