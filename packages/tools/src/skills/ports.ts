import type { ToolContext } from "@talaria/agent";

/** Where a skill is read, and for whom. */
export type SkillReader = Pick<ToolContext, "conversation" | "sessionKey" | "turnId" | "requesters" | "signal">;

/** Instructions for kinds of work: those that the operator keeps, and those that were learnt. */
export interface Skills {
  /**
   * What a skill says, or one of its files; for words that are no name, which skills fit. `isUntrusted`: no owner has accepted it as it is
   * now. What was learnt elsewhere and nobody accepted is not there. Throws `invalid_request`, with a sentence that says what there is.
   */
  read(
    asked: { readonly name: string; readonly file?: string },
    reader: SkillReader,
  ): Promise<{ readonly content: string; readonly isUntrusted: boolean }>;
}
