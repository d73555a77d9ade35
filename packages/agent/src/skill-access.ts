import { reachesFacts } from "./call-tool.ts";
import type { CallsOfCodeSettings } from "./calls-of-code.ts";
import type { OneCall } from "./file-taint.ts";
import type { ToolResultEntry } from "./journal.ts";
import type { ToolContext } from "./tool.ts";

/** A skill as the model writes it. */
export interface SkillDraft {
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
  write(draft: SkillDraft, call: { readonly key: string }): Promise<string>;
}

/** What a call has of what is kept beyond the session: nothing, where its tool does not declare `memory`. */
export function keptFor(
  { facts, skills }: Pick<CallsOfCodeSettings, "facts" | "skills">,
  one: OneCall,
  meanwhile: readonly ToolResultEntry[],
): Pick<ToolContext, "facts" | "skills"> {
  if (!reachesFacts(one.tool)) return {};
  return {
    ...(facts && { facts: facts(one, meanwhile) }),
    ...(skills && { skills: skills(one, meanwhile) }),
  };
}
