import type { AccountId, SessionKey } from "@talaria/protocol";
import type { ConversationRef } from "./shut-places.ts";

/** A problem that owners are told of. */
export interface ToldProblem {
  /** The same as long as the same thing is in trouble. `account:<id>`: nobody is told on that account before it is over. */
  readonly key: string;
  /** Which kind of trouble it is now: another kind is told at once, each once an hour. Default: there is one kind only. */
  readonly code?: string;
  /** When it was seen first and last, as ISO 8601. Default: now. What was not seen since owners were told is not told again. */
  readonly since?: string;
  readonly seenAt?: string;
  /** It is told when it has lasted so long, in milliseconds. */
  readonly graceMs: number;
  /** Conversations in which nobody is told. */
  readonly notIn?: readonly ConversationRef[];
  /** Keys of what the text names: owners are told that each of them is over, by its own key. */
  readonly covers?: readonly { readonly key: string; readonly seenAt: string }[];
  readonly markdown: string;
  /** The same in further languages, by their tags in small letters (BCP 47), for owners who speak them. */
  readonly inLanguages?: Readonly<Record<string, string>>;
}

/** What owners read when something works again. */
export type Sound = Pick<ToldProblem, "key" | "markdown" | "inLanguages">;

/** Conversations whose last message got no answer because of a problem, and that nobody has answered since. */
export interface FailedMeanwhile {
  readonly count: number;
  /** Those that failed last, five at most. */
  readonly sessionKeys: readonly SessionKey[];
}

export interface ProblemNews {
  /** Keys of what owners were told of now; also where no owner has a home. */
  readonly begun: readonly string[];
  readonly over: readonly string[];
  /** Accounts with a text that waits. */
  readonly accounts: readonly AccountId[];
}

/** Which problems last, for all gateways together. */
export interface ProblemStore {
  /**
   * Tells every owner at home of what lasts, once an hour for each kind, and once of what they were told of and that is seen to work. What is in neither list
   * is not known now: it stays, for a day, and nobody is told. `sound` may name what was no problem.
   */
  note(problems: readonly ToldProblem[], sound: readonly Sound[]): Promise<ProblemNews>;
  /** `codes`: of the turns that failed. Of a problem that owners were not told of there are none. */
  failedMeanwhile(key: string, codes: readonly string[]): Promise<FailedMeanwhile>;
  /** Whether any turn was answered after this instant. */
  hasAnsweredSince(instant: string): Promise<boolean>;
}
