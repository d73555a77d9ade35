import type { AccountId, Conversation, ConversationId, EventId, Instant, SessionKey, UserId } from "@talaria/protocol";
import type { InboxEntry } from "./inbox.ts";
import type { AddedPerson, PersonDecision, Standing } from "./standing.ts";

export interface PairingRow {
  readonly id: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  /** As they called themselves when they asked: a stranger's words. */
  readonly displayName: string;
  /** Theirs, as the platform told it last. Absent: not known. */
  readonly language?: string;
  readonly state: Standing;
  readonly createdAt: Instant;
  /** When somebody decided last, and who, where that was an owner in a conversation. Absent in rows of earlier releases. */
  readonly decidedAt?: Instant;
  readonly decidedBy?: string;
  /** Where they wrote. Absent in rows of earlier releases, and of who was let in without having asked. */
  readonly conversation?: Conversation;
  /** While they wait, so many messages of others were left out, since too many waited. */
  readonly leftOut?: number;
}

/** Somebody whom the agent does not know writes in a direct conversation. */
export interface AccessRequest {
  readonly accountId: AccountId;
  readonly person: { readonly id: UserId; readonly displayName: string; readonly language?: string };
  /** The event that asks. Asking again before it was settled gives a new code: the first was never shown. */
  readonly eventId: EventId;
  readonly conversation: Conversation;
  /** There is somebody whom we can ask. */
  readonly canAsk: boolean;
  /** Their words: the first eight messages that they bring while they wait are recorded when somebody lets them in within a day. */
  readonly said?: InboxEntry;
  /** What of them can't be kept: the files alone, or words as well. */
  readonly unkept?: "files" | "words";
}

export type PairingRequest =
  | {
      /** Tell the person this code. Shown once: only its hash is stored. */
      readonly outcome: "code";
      readonly code: string;
      readonly id: string;
      /**
       * `each`: ask the owners about this one. `together`: tell them how many wait. `later`: they were told within the hour. `nobody`: nobody
       * can be asked.
       */
      readonly asks: "each" | "together" | "later" | "nobody";
      /** So many wait on this account, this one included. */
      readonly waiting: number;
    }
  /** How they stand. `tells`: tell them, once. Else stay silent. */
  | { readonly outcome: Exclude<Standing, "approved">; readonly tells?: true }
  /** Too many wait on this account; stay silent. `leftOut`, once an hour: tell owners that so many messages of others were left out. */
  | { readonly outcome: "full"; readonly waiting?: number; readonly leftOut?: number };

/** Somebody who has written lately. */
export interface SeenPerson {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly displayName: string;
  /** As the platform calls it: `@ada`, `ada`, an address. */
  readonly username?: string;
  readonly at: Instant;
}

/** Who may talk to the agent beyond the configured lists. */
export interface PairingStore {
  isApproved(accountId: AccountId, userId: UserId): Promise<boolean>;
  /** How somebody stands on an account. Undefined: they have not asked. */
  standingOf(accountId: AccountId, userId: UserId): Promise<Standing | undefined>;
  /** Whether an operator has let a group in that is not in the configuration. */
  isGroupAllowed(accountId: AccountId, conversationId: ConversationId): Promise<boolean>;
  /**
   * At least 40 bits of code, valid for ten minutes, at most 20 valid per account, one per person a day. Owners are asked about at most five
   * of an account who wait, one by one; of further ones they are told once an hour. Whoever is ignored is so for a day.
   */
  request(request: AccessRequest): Promise<PairingRequest>;
  /**
   * Who has this code, or this id. Undefined when there is none, or the code was used or has expired. Case and dashes of a code do not
   * matter.
   */
  find(codeOrId: string): Promise<PairingRow | undefined>;
  /** Who had this code that counts no more: it has expired, or somebody has decided about them. Only those of `list`. */
  findByEndedCode(code: string): Promise<PairingRow | undefined>;
  /**
   * With all that follows, as one: welcome, words that are answered now, turns that end, questions that close. Undefined, and nothing
   * happened, when the person does not stand as `from` says. `sessionKey`: wake it.
   */
  decide(decision: PersonDecision): Promise<{ readonly sessionKey?: SessionKey } | undefined>;
  /** Lets somebody in who has not asked, or blocks them, by their id on the account. Undefined, and nothing happened, when somebody has decided about them. */
  add(person: AddedPerson): Promise<{ readonly sessionKey?: SessionKey } | undefined>;
  /** What the platform tells of a person. Kept of who is in `list`, and of owners who have written in a direct conversation. */
  noteLanguage(accountId: AccountId, userId: UserId, language: string): Promise<void>;
  /** What is kept of that. */
  languageOf(accountId: AccountId, userId: UserId): Promise<string | undefined>;
  /** Whoever has asked within a day, and all about whom somebody has decided: at most 5,000, the first to ask first. */
  list(): Promise<readonly PairingRow[]>;
  /** Who has written the newest 20,000 messages, at most 1,000 people, the last first. */
  seen(): Promise<readonly SeenPerson[]>;
  /** The accounts on which somebody with this id has written lately, or was refused, at most 20. The name is empty where none is known. */
  seenAs(userId: UserId): Promise<readonly Pick<SeenPerson, "accountId" | "displayName">[]>;
}
