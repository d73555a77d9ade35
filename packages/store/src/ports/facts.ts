import type {
  AccountId,
  ArchivedFact,
  ArchiveReason,
  Asker,
  ConversationId,
  Derived,
  EventId,
  Fact,
  FactSubject,
  FactTrust,
  Instant,
  SessionKey,
  TurnId,
  UserId,
} from "@talaria/protocol";
import type { SessionLease } from "./turns.ts";

/** From where facts are looked at. */
export interface FactReach {
  readonly subjects: readonly FactSubject[];
  /** `<account>/<conversation>`: of the subjects' facts, those whose audience has it, or that have none. */
  readonly place: string;
}

/** One change of a subject that is as it was read, all of it or nothing. */
export interface FactsChange extends FactSubject {
  /** As read. */
  readonly version: number;
  /** The same key changes nothing a second time. */
  readonly callKey: string;
  /** The id of who taught it. */
  readonly author: string;
  readonly eventId?: EventId;
  readonly add?: {
    readonly text: string;
    readonly trust: FactTrust;
    readonly about?: string;
    readonly version: number;
    readonly derived: Derived;
  };
  readonly archive: readonly { readonly id: string; readonly why: ArchiveReason }[];
  readonly confirm: readonly { readonly id: string; readonly trust: FactTrust }[];
  /** What is added goes into the archive at once. */
  readonly isArchived?: true;
}

/** What people decide about what is kept of them. */
export type FactEffect =
  /**
   * Forgets facts of these subjects, with all that they have replaced; without `ids` everything, the archive too. `by`: only what that
   * person has taught. Nothing happens where there is nothing.
   */
  | {
      readonly kind: "forget_facts";
      readonly sessionKey: SessionKey;
      readonly subjects: readonly FactSubject[];
      readonly ids?: readonly string[];
      readonly by?: UserId;
    }
  /**
   * Puts a person's words in the place of a fact. `by` as before. Nothing happens to one that is gone, or where the subject would have more than
   * `mostChars`.
   */
  | (FactSubject & {
      readonly kind: "correct_fact";
      readonly sessionKey: SessionKey;
      readonly id: string;
      readonly by?: UserId;
      readonly text: string;
      readonly author: UserId;
      readonly eventId: EventId;
      readonly asker: Asker;
      readonly mostChars: number;
      readonly mostArchived: number;
    });

/** A fact, or one of the archive, with where it was said, as far as that is still known. */
export interface KeptFact {
  readonly fact: Fact | ArchivedFact;
  readonly conversationId?: ConversationId;
  readonly title?: string;
}

export interface FactsOfSubject {
  readonly version: number;
  readonly facts: readonly Fact[];
  /** When a person has forgotten or corrected something of it last: what was said before teaches nothing by itself. */
  readonly settledAt?: Instant;
}

/** What is kept beyond sessions. Who sees it is decided by the query. */
export interface FactStore {
  /** What counts, oldest first: at most 1,500 of each subject. */
  seen(reach: FactReach): Promise<readonly Fact[]>;
  /** What counts no more and holds all of the words, whatever their case: the last archived first, at most 50. */
  archived(reach: FactReach, words: readonly string[]): Promise<readonly ArchivedFact[]>;
  /** All that counts of a subject, whoever may see it: for whoever decides about a change. */
  of(subject: FactSubject): Promise<FactsOfSubject>;
  /**
   * For the holder of the session alone, in a turn that nobody has ended. False: the subject is not at this version any more, and nothing
   * was written: read it again. The archive of a subject keeps its newest 500. Throws `conflict` for a lost lease, `aborted` where the
   * turn was ended.
   */
  change(lease: SessionLease, turnId: TurnId, change: FactsChange): Promise<boolean>;
  /**
   * All that is kept about a person or was taught by them on this account, with the archive: what counts first, then the last archived; at
   * most 2,000.
   */
  about(person: { readonly accountId: AccountId; readonly userId: UserId }): Promise<readonly KeptFact[]>;
  /** For the operator: the newest that count, at most 200, that hold all of the words. */
  list(query: Partial<FactSubject> & { readonly words: readonly string[] }): Promise<readonly Fact[]>;
  /** For the operator: with all that it has replaced. Undefined: there is none. */
  remove(id: string): Promise<Fact | undefined>;
  /** A conversation has begun with them. Counts may be lost. */
  used(ids: readonly string[]): Promise<void>;
}
