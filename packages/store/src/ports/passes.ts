import type { Conversation, FactSubject, Instant, ProcessId, SessionKey } from "@talaria/protocol";
import type { FactsChange } from "./facts.ts";
import type { ReachedBy, Spender } from "./spending.ts";
import type { StoredEntry } from "./turns.ts";

/** The right to go through one conversation for facts. Valid while the holder lives and nobody has a higher fence. */
export interface PassLease {
  readonly sessionKey: SessionKey;
  readonly holder: ProcessId;
  readonly fence: number;
  /** The last entry that is gone through. */
  readonly until: number;
}

/** What was said in the memories that a pass goes through, oldest first. */
export interface PassReading {
  readonly conversation: Conversation;
  /** `isNew`: no pass has gone through it before. */
  readonly entries: readonly { readonly entry: StoredEntry; readonly at: Instant; readonly isNew: boolean }[];
  /** What the agent was told at their beginnings. */
  readonly prompts: readonly string[];
  /** Nothing was said in them before these, and nothing else was told. */
  readonly isWhole: boolean;
}

/** What a pass has cost. */
export interface PassCost extends Pick<Conversation, "accountId" | "conversationId"> {
  /** As an entry accounts for it. Absent: nothing was counted. */
  readonly answer?: StoredEntry;
  readonly spenders: readonly Spender[];
  /** Whose lines were read, as `<account>/<id>`. */
  readonly people: readonly string[];
}

export type PassWrite = Omit<FactsChange, keyof FactSubject | "version" | "callKey">;

/** What a pass has brought for one subject, as it was read. */
export interface PassWrites extends FactSubject {
  readonly version: number;
  readonly writes: readonly PassWrite[];
}

export type ClaimedPass = PassLease | { readonly givenUp: SessionKey } | undefined;

/**
 * Conversations that a small model is to go through for facts. One is wanted by `/new` and when it is shortened, in the same transaction,
 * where people have written three lines at least since the last time. What is wanted again meanwhile is done once.
 */
export interface PassStore {
  /**
   * The one that has waited longest, of those that were not gone through `perDay` times within a day. A holder goes through one at a time:
   * what it did not end it gets again. `givenUp`: that has happened four times, or as many holders have died. Undefined: there is none.
   */
  claim(holder: ProcessId, perDay: number): Promise<ClaimedPass>;
  /** At most the newest 2,000 entries, and 4 MiB. Throws `conflict`, as all of these, for a lost lease. */
  read(lease: PassLease): Promise<PassReading>;
  /** Those of the spenders that have reached a limit. */
  reached(lease: PassLease, spenders: readonly Spender[]): Promise<readonly ReachedBy[]>;
  /**
   * Keeps what it has brought and ends the pass, in one transaction. Without a cost, nobody was asked. False: the subject is not at the
   * version any more, and nothing was written.
   */
  finish(lease: PassLease, writes: PassWrites | undefined, cost: PassCost | undefined): Promise<boolean>;
  /** The model has failed. After the second time the pass is given up: true. Before, it is tried again after a minute. */
  fail(lease: PassLease, cost: PassCost): Promise<boolean>;
  /** Nobody was asked: it is taken up again after so many milliseconds, by whoever comes first. */
  postpone(lease: PassLease, ms: number): Promise<void>;
}
