import type { AccountId, Clock, Log, MediaRef, UserId } from "@talaria/protocol";
import type { PlatformWords } from "./platform-words.ts";

/** What an adapter must remember across restarts. Values are encrypted at rest. */
export interface AdapterStore {
  read(name: string): Promise<string | undefined>;
  write(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The bytes of outgoing attachments. Throws `not_found` for an unknown ref. */
export interface MediaSource {
  open(ref: MediaRef, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** Everything an adapter may reach outside its own platform. */
export interface AdapterDeps {
  readonly id: AccountId;
  readonly log: Log;
  readonly store: AdapterStore;
  readonly media: MediaSource;
  readonly clock: Clock;
  /** Control commands that people may give, for platforms with menus of their own. Names are `a-z` only. */
  readonly commands: readonly CommandInfo[];
  /** What to say to somebody who reads it alone. `language`: theirs (BCP 47), where the platform tells it. */
  wordsIn(language?: string): PlatformWords;
  /** For platforms whose menus can tell people apart. Absent: everybody has a use for all commands. */
  readonly audience?: Audience;
  /** Counts something of a known kind that came in and could not be read. Never throws. */
  readonly countUnreadable: (kind: string) => void;
  /** What happened longer ago is not worth back-filling after downtime. */
  readonly catchUpMs: number;
  /** Reach the platform through this HTTP proxy. */
  readonly proxy?: URL;
  /** The account is only tried: what the store is given will be forgotten, so make nothing that is of no use without it. */
  readonly isTrial?: boolean;
}

export interface CommandInfo {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The same in further languages, by their tags in small letters (BCP 47), for menus that tell people's languages apart. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Nobody with less than this role has a use for it. Absent: everybody has. */
  readonly leastRole?: "member" | "owner";
  /** It does nothing in groups. */
  readonly isPrivate?: true;
}

/** Who uses an account. */
export interface Audience {
  readonly owners: readonly UserId[];
  /** What everybody else is at least who is heard in a direct conversation. In groups, guests are heard. */
  readonly direct: "guest" | "member";
}
