import type { Instant } from "@talaria/protocol";

/** A skill as an owner has accepted it. */
export interface AcceptedSkill {
  readonly name: string;
  /** SHA-256 over all its files, in hexadecimal digits. */
  readonly digest: string;
  readonly acceptedAt: Instant;
}

/** Which skills owners have accepted, for every host of a fleet. */
export interface SkillStore {
  /** Repeatable. Of each name the newest twenty digests stay. Throws `invalid_request` where there are as many names as may be. */
  accept(skill: Pick<AcceptedSkill, "name" | "digest">): Promise<void>;
  /** Those of these digests that are accepted, at most 1,000. */
  accepted(digests: readonly string[]): Promise<ReadonlySet<string>>;
  /** The newest first, at most 1,000. */
  list(): Promise<readonly AcceptedSkill[]>;
  /** Accepts no digest of this name any longer. False: none was. */
  forget(name: string): Promise<boolean>;
}
