import type { AccountId, Role, Sender, UserId } from "@talaria/protocol";

/** Somebody with the role that their words had when they came. */
export interface PersonAtWork {
  readonly accountId: AccountId;
  readonly sender: Sender;
  readonly role: Role;
}

export interface RightsStore {
  /** Whoever has more than a guest's rights in turns that run, words that wait and calls that wait: at most 10,000. */
  atWork(): Promise<readonly PersonAtWork[]>;
  /**
   * Somebody has lost roles: what their words have begun with one of them ends, and what waits is read with the role of now.
   * Resolves with how many conversations were stopped.
   */
  weaken(person: {
    readonly accountId: AccountId;
    readonly userId: UserId;
    readonly role: Role;
    readonly lost: readonly Role[];
  }): Promise<number>;
}
