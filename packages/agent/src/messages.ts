import type { Asker, Conversation } from "@talaria/protocol";

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

/** The way to other conversations. */
export interface MessageAccess {
  /** Those that every asker may reach, homes first, then the newest. None for guests, and none of webhooks. */
  find(query: PlaceQuery): Promise<readonly KnownPlace[]>;
  /** Puts a text on its way, once for each key. Throws `conflict` when another worker has the session. */
  send(text: { readonly key: string; readonly conversation: Conversation; readonly markdown: string }): Promise<void>;
}
