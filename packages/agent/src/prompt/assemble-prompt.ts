import { dataRules } from "./data-rules.ts";
import { modelHabits } from "./model-habits.ts";
import { type TalkParts, whoIsTalking } from "./who-is-talking.ts";
import { workingRules } from "./working-rules.ts";
import { type BrokenWorkspace, type PromptWorkspace, workplace } from "./workplace.ts";

export interface PromptParts extends TalkParts {
  readonly agentName: string;
  /** The provider's name for the model: some families need to be told more. */
  readonly model?: string;
  /** The operator's own words. */
  readonly instructions: string;
  /** What our code says about writing on this platform. */
  readonly platformHint: string;
  /** Absent: those who ask when the session begins have no files and commands here. */
  readonly workspace?: PromptWorkspace;
  /** They would have them, and these don't work here. Goes with no `workspace`. */
  readonly broken?: BrokenWorkspace;
}

/**
 * The system prompt of a session. The same parts give the same bytes: no date, no title, nothing that changes while
 * people talk. Everything a person can choose appears only as escaped data.
 */
export function assemblePrompt(parts: PromptParts): string {
  const { agentName, model = "", instructions, platformHint, workspace, shared, broken } = parts;
  const sections = [
    `You are ${agentName}, an assistant that people reach from the places where they already talk.`,
    [workingRules, ...modelHabits(model)].join("\n"),
    workplace(workspace, shared, broken),
    platformHint.trim(),
    whoIsTalking(parts),
    dataRules,
    instructions.trim() === "" ? "" : `# Instructions of the operator\n\n${instructions.trim()}`,
  ];
  return sections.filter((section) => section !== "").join("\n\n");
}
