import { estimateTokens } from "./context/estimate-tokens.ts";
import { callToolTool, createFindTools } from "./find-tools.ts";
import type { TranscriptEntry } from "./journal.ts";
import type { ToolSpec } from "./model.ts";
import { type Tool, toolSpecs } from "./tool.ts";

export interface ChosenTools {
  /** All that a call may name. */
  readonly callable: readonly Tool[];
  /** What the model reads of in every request. */
  readonly shown: readonly Tool[];
}

/**
 * What a turn has of its tools. Where the schemas of all take more than `toolTokens`, those on demand are not shown: `find_tools` gives
 * their schemas, `call_tool` calls them. What is shown then stays the same, whichever of them come and go. A session that has used the
 * index keeps it, so that its requests go on as they began.
 */
export function chooseTools(
  tools: readonly Tool[],
  entries: readonly TranscriptEntry[],
  toolTokens = Number.POSITIVE_INFINITY,
): ChosenTools {
  const found = tools.filter(({ onDemand }) => onDemand);
  if (!hasUsedIndex(entries) && (found.length === 0 || tokensOf(tools) <= toolTokens)) {
    return { callable: tools, shown: tools };
  }
  const index = [createFindTools(found), callToolTool];
  return { callable: [...tools, ...index], shown: [...tools.filter(({ onDemand }) => !onDemand), ...index] };
}

const known = new WeakMap<ToolSpec, number>();

function tokensOf(tools: readonly Tool[]): number {
  return toolSpecs(tools).reduce((sum, spec) => sum + tokensOfSpec(spec), 0);
}

function tokensOfSpec(spec: ToolSpec): number {
  const tokens = known.get(spec) ?? estimateTokens(JSON.stringify(spec));
  known.set(spec, tokens);
  return tokens;
}

/** Whether the index was ever used, also in what was left out since. */
export function hasUsedIndex(entries: readonly TranscriptEntry[]): boolean {
  return entries.some((entry) =>
    entry.kind === "checkpoint"
      ? entry.hasIndex === true
      : entry.kind === "assistant" &&
        entry.toolCalls.some(({ name, via }) => via !== undefined || name === "find_tools" || name === "call_tool"),
  );
}
