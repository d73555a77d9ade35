import type { AccountId, ConversationId, Instant, SearchAsker, UserId } from "@talaria/protocol";

export interface SearchQuery {
  /** Words, phrases in quotes, and the filters of `parseQuery`. */
  readonly text: string;
  /** Who said it: a part of a name, or one of these two. */
  readonly from?: { readonly name: string } | "asker" | "agent";
  /** What is older is left out, and what is not older than `until` is shown alone. */
  readonly since?: Instant;
  readonly until?: Instant;
  /** At most 20. */
  readonly limit: number;
  /** Characters of each line that are shown, at most 2,000. */
  readonly chars: number;
}

/** One line of a conversation. Names and words are what people wrote. */
export interface SaidLine {
  /** Of the event, or the delivery's key. */
  readonly id: string;
  readonly accountId: AccountId;
  readonly conversationId: ConversationId;
  readonly from: "person" | "agent";
  readonly displayName: string;
  readonly userId?: UserId;
  readonly markdown: string;
  readonly at: Instant;
}

export interface SearchHit extends SaidLine {
  /** Up to two lines before it and after it, oldest first. */
  readonly before: readonly SaidLine[];
  readonly after: readonly SaidLine[];
}

export interface SearchFound {
  /** Best first. */
  readonly hits: readonly SearchHit[];
  /** When there was most about it, best first: at most three. */
  readonly sittings: readonly {
    readonly conversationId: ConversationId;
    readonly from: Instant;
    readonly until: Instant;
  }[];
}

/**
 * Past conversations. In a direct conversation a person finds what was said in their own direct conversations on the account; in a group,
 * what was said in that group. Nothing else is found, nor what was deleted, taken back or said by whoever still waits for an answer.
 */
export interface SearchStore {
  /** What is found follows from who asks and where, whatever is asked for. Takes a second at most for each of its statements. */
  find(query: SearchQuery, asker: SearchAsker): Promise<SearchFound>;
  /** Reads what was said since, and what was there before there was a search. Ends early when aborted, and goes on there the next time. */
  catchUp(signal: AbortSignal): Promise<void>;
}
