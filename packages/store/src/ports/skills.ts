import type { AccountId, Derived, EventId, Instant, SessionKey, TurnId } from "@talaria/protocol";
import type { SessionLease } from "./turns.ts";

/** A skill as an owner has accepted it. */
export interface AcceptedSkill {
  readonly name: string;
  /** SHA-256 over all its files, in hexadecimal digits. */
  readonly digest: string;
  readonly acceptedAt: Instant;
  /** `<account>/<id>`. Absent: whoever has run the command. */
  readonly acceptedBy?: string;
}

export interface LearnedFile {
  readonly path: string;
  readonly text: string;
}

/** One version of a skill that the agent has written. */
export interface LearnedSkill {
  readonly name: string;
  /** Counted from 1. */
  readonly version: number;
  readonly digest: string;
  readonly description: string;
  /** `<account>/<conversation>` where it was written. Until its digest is accepted, it is known nowhere else. */
  readonly place: string;
  readonly sessionKey: SessionKey;
  /** The id of whose words it came from. */
  readonly author: string;
  readonly eventId?: EventId;
  readonly derived: Derived;
  readonly writtenAt: Instant;
  /** Somebody has gone back to an earlier one. */
  readonly isWithdrawn: boolean;
  /** Nobody has used it for long. */
  readonly isArchived: boolean;
  /** Its last two uses have failed. */
  readonly isSetAside: boolean;
  /** Absent: nobody has accepted its digest. */
  readonly acceptedAt?: Instant;
  readonly acceptedBy?: string;
}

export interface NewSkill
  extends Pick<LearnedSkill, "name" | "digest" | "description" | "place" | "author" | "eventId" | "derived"> {
  readonly files: readonly LearnedFile[];
  /** The same key writes nothing a second time. */
  readonly callKey: string;
}

/** `isNew` is false where the version that counts there is the same. */
export type WrittenSkill = { readonly version: number; readonly isNew: boolean } | "taken" | "full";

/** What people decide about skills. */
export type SkillEffect =
  | {
      readonly kind: "forget_skill";
      readonly sessionKey: SessionKey;
      readonly name: string;
      /** Both or none: only what this person alone has taught there, and nobody accepted. */
      readonly place?: string;
      readonly author?: string;
    }
  /** Its last use has failed: of this person, `<account>/<id>`, or without one of anybody, in this session before others. */
  | { readonly kind: "skill_failed"; readonly sessionKey: SessionKey; readonly name: string; readonly user?: string };

/** A turn that has read a skill. */
export interface SkillUse extends Pick<LearnedSkill, "name" | "digest" | "sessionKey"> {
  readonly turnId: TurnId;
  /** Who asks in it: `<account>/<id>`. */
  readonly users: readonly string[];
}

/** What became of a skill as it is by this digest. */
export interface SkillStanding extends Pick<LearnedSkill, "name" | "digest"> {
  readonly uses: number;
  readonly lastUsedAt?: Instant;
  /** Its last two uses have failed: nobody is shown it. */
  readonly isSetAside: boolean;
}

/** A text to owners, with `{name}` and `{version}` in it. */
export interface SkillNews {
  readonly markdown: string;
  readonly inLanguages?: Readonly<Record<string, string>>;
}

export interface SkillTending {
  /** Reasons for which turns fail that have nothing to do with skills. */
  readonly spared: readonly string[];
  /** What the agent has written and nobody has used for as long is archived. */
  readonly archiveDays: number;
  readonly news: { readonly learnt: SkillNews; readonly setAside: SkillNews; readonly archived: SkillNews };
}

/** `accounts`: of those who are told. */
export interface TendedSkills {
  readonly accounts: readonly AccountId[];
  readonly setAside: readonly string[];
  readonly archived: readonly string[];
}

/** Which skills owners have accepted, for every host of a fleet, and those that the agent has written. */
export interface SkillStore {
  /** Repeatable. Of each name the newest twenty digests stay. Throws `invalid_request` where there are as many names as may be. */
  accept(skill: Pick<AcceptedSkill, "name" | "digest" | "acceptedBy">): Promise<void>;
  /** Those of these digests that are accepted, at most 1,000. */
  accepted(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest first, at most 1,000. */
  list(): Promise<readonly AcceptedSkill[]>;
  /** Accepts no digest of this name any longer, and forgets what the agent has written under it. False: there was none. */
  forget(name: string): Promise<boolean>;
  /** Once for each turn and name. */
  use(use: SkillUse): Promise<void>;
  /** Those of these digests that are set aside, at most 1,000. */
  setAside(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** What is known of skills that were used, the last used first: at most 1,000. */
  standings(): Promise<readonly SkillStanding[]>;
  /** Brings back what was set aside or archived. False: there was nothing of it. */
  restore(name: string): Promise<boolean>;
  /** Looks at the turns that are over, sets aside, archives, and tells owners at home. One process at a time does. */
  tend(tending: SkillTending): Promise<TendedSkills>;
  /**
   * For the holder of the session alone, in a turn that nobody has ended. Ten versions of a name stay, and the one that counts for everybody.
   * `taken`: it was written elsewhere, and nobody accepted it. `full`: 30 names of this place, or 200 in all. Throws `conflict` for a lost
   * lease, `aborted` where the turn was ended.
   */
  write(lease: SessionLease, turnId: TurnId, skill: NewSkill): Promise<WrittenSkill>;
  /** Of each name the version that counts in this place, `<account>/<conversation>`, by name. */
  learnedIn(place: string): Promise<readonly LearnedSkill[]>;
  /** All versions, by name and the newest first: at most 2,000. */
  learned(): Promise<readonly LearnedSkill[]>;
  /** The files of what counts in a place, or of a version. Undefined: there is none. */
  filesOf(
    name: string,
    which: { readonly place: string } | { readonly version: number },
  ): Promise<readonly LearnedFile[] | undefined>;
  /** That version counts again, and none after it; without one, the version before the newest that counts. Undefined: there is none. */
  rollBack(
    name: string,
    version?: number,
  ): Promise<{ readonly from: number | undefined; readonly skill: LearnedSkill } | undefined>;
}
