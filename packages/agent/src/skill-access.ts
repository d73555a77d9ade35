/** A skill as the model writes it. */
export interface SkillProposal {
  readonly name: string;
  readonly description: string;
  /** Markdown. */
  readonly body: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** Writes skills, with what the words of the turn carry. */
export interface SkillAccess {
  /**
   * Once for each key; what was done, for the model. Throws `invalid_request`, with a sentence that says what to do, where nothing is kept, and
   * `conflict` when another worker has the session.
   */
  write(proposal: SkillProposal, call: { readonly key: string }): Promise<string>;
}
