import type { FactScope, FactTrust } from "@talaria/protocol";

/** A change of what is kept beyond the session. */
export type FactChange =
  | { readonly action: "add"; readonly text: string; readonly trust: FactTrust }
  | { readonly action: "replace"; readonly ids: readonly string[]; readonly text: string; readonly trust: FactTrust }
  | { readonly action: "remove"; readonly ids: readonly string[] };

/** What a call answers with. `isUntrusted`: others than those who speak here have taught some of it. */
export interface FactAnswer {
  readonly content: string;
  readonly isUntrusted: boolean;
}

/** What is kept beyond the session, as far as it may be seen from the conversation. */
export interface FactAccess {
  /**
   * Once for each key. Without a scope: about whom the conversation is with. Throws `invalid_request`, with a sentence that says what to do,
   * where nothing is kept, and `conflict` when another worker has the session.
   */
  change(change: FactChange, call: { readonly key: string; readonly scope?: FactScope }): Promise<FactAnswer>;
  /** What holds all of the words, also what counts no more. */
  recall(words: readonly string[]): Promise<FactAnswer>;
}
