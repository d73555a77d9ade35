import { reachesFacts } from "./call-tool.ts";
import type { FactAccess } from "./facts.ts";
import type { OneCall } from "./file-taint.ts";
import type { ToolResultEntry } from "./journal.ts";
import type { SkillAccess } from "./skill-access.ts";
import type { ToolContext } from "./tool.ts";

/** What calls reach of what is kept beyond the session. `meanwhile`: results that code has got and that are in no journal. */
export interface KeptSettings {
  /** Without it, no fact is kept. */
  readonly facts?: (one: OneCall, meanwhile: readonly ToolResultEntry[]) => FactAccess;
  /** Without it, no skill is written. */
  readonly skills?: (one: OneCall, meanwhile: readonly ToolResultEntry[]) => SkillAccess;
}

/** The same of one call: nothing, where its tool does not declare `memory`. */
export function keptFor(
  { facts, skills }: KeptSettings,
  one: OneCall,
  meanwhile: readonly ToolResultEntry[],
): Pick<ToolContext, "facts" | "skills"> {
  if (!reachesFacts(one.tool)) return {};
  return {
    ...(facts && { facts: facts(one, meanwhile) }),
    ...(skills && { skills: skills(one, meanwhile) }),
  };
}
