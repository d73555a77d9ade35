import type { Asker, Conversation, Instant } from "@talaria/protocol";

/** A conversation of this agent other than the one that is answered. Its names are what people wrote. */
export interface KnownPlace {
  readonly conversation: Conversation;
  /** Of a direct conversation: who writes there. */
  readonly person?: { readonly userId: string; readonly displayName: string };
  /** An owner is asked there. */
  readonly isHome: boolean;
}

export interface PlaceQuery {
  /** `<platform>:user:<id>` or `<platform>:group:<id>`. */
  readonly address?: string;
  readonly accountId?: string;
  /** A part of the title or of a person's name, whatever its case. */
  readonly name?: string;
  /** Each of them has to take part, unless they are owners. */
  readonly askers: readonly Asker[];
  readonly limit: number;
}

export interface PastQuery {
  readonly text: string;
  /** Who said it: a part of a name, or one of these two. */
  readonly from?: { readonly name: string } | "asker" | "agent";
  readonly since?: Instant;
  readonly until?: Instant;
  readonly askers: readonly Asker[];
  readonly limit: number;
  /** Characters of each line. */
  readonly chars: number;
}

/** What somebody said before. Name and words are what people wrote. */
export interface PastLine {
  readonly id: string;
  readonly from: "person" | "agent";
  readonly displayName: string;
  readonly markdown: string;
  readonly at: Instant;
}

export interface PastFound {
  /** Best first, each with what stands before it and after it, oldest first. */
  readonly hits: readonly (PastLine & { readonly before: readonly PastLine[]; readonly after: readonly PastLine[] })[];
  /** When there was most about it, best first. */
  readonly sittings: readonly { readonly from: Instant; readonly until: Instant }[];
}

/** The way to other conversations. */
export interface MessageAccess {
  /** Those that every asker may reach, homes first, then the newest. None for guests, and none of webhooks. */
  find(query: PlaceQuery): Promise<readonly KnownPlace[]>;
  /**
   * What was said before and everybody who asks may see, see `searchAskerOf`. Throws `unsupported` where nobody may see anything. Absent
   * where nothing is searched.
   */
  search?(query: PastQuery): Promise<PastFound>;
  /** Puts a text on its way, once for each key. Throws `conflict` when another worker has the session. */
  send(text: { readonly key: string; readonly conversation: Conversation; readonly markdown: string }): Promise<void>;
}
