import type { AccountId, ConversationId, Instant } from "@talaria/protocol";

export interface ConversationRef {
  readonly accountId: AccountId;
  readonly conversationId: ConversationId;
}

/** A conversation whose platform refuses every text: its newest was given up, and none has arrived since. */
export interface ShutPlace extends ConversationRef {
  readonly platform: string;
  /** As people there call it or themselves. */
  readonly name?: string;
  /** `forbidden`: the agent may not write there; `not_found`: there is no such conversation. */
  readonly code: "forbidden" | "not_found";
  /** When the newest text was given up. */
  readonly at: Instant;
}

export interface ShutPlaces {
  /** Those of the last 23 hours, the newest first, at most 100. */
  readonly shut: readonly ShutPlace[];
  /** Those that owners were told of and that have taken a text since. */
  readonly opened: readonly ConversationRef[];
}
