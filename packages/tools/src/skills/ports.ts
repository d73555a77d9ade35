/** Instructions that the operator keeps for kinds of work. */
export interface Skills {
  /**
   * What a skill says, or one of its files; for words that are no name, which skills fit. `isUntrusted`: no owner has accepted it as it is
   * now. Throws `invalid_request`, with a sentence that says what there is.
   */
  read(
    asked: { readonly name: string; readonly file?: string },
    signal: AbortSignal,
  ): Promise<{ readonly content: string; readonly isUntrusted: boolean }>;
}
