import { estimateTokens } from "./context/estimate-tokens.ts";
import { callToolTool, createFindTools } from "./find-tools.ts";
import type { TranscriptEntry } from "./journal.ts";
import type { ToolSpec } from "./model.ts";
import { type Tool, toolSpecs } from "./tool.ts";

/** Below it, the index would take more than it saves. */
const fewTokens = 300;

export interface ChosenTools {
  /** All that a call may name. */
  readonly callable: readonly Tool[];
  /** What the model reads of in every request. */
  readonly shown: readonly Tool[];
  /** Tools on demand are not shown. */
  readonly hidesOnDemand: boolean;
}

/**
 * What a turn has of its tools. Rare ones are not shown, and where the schemas of the others take more than `toolTokens`, neither are those
 * on demand: `find_tools` gives their schemas, `call_tool` calls them. What is shown then stays the same, whichever of them come and go. A
 * session that has called one on demand by the index keeps them there, so that its requests go on as they began.
 */
export function chooseTools(
  tools: readonly Tool[],
  entries: readonly TranscriptEntry[],
  toolTokens = Number.POSITIVE_INFINITY,
): ChosenTools {
  const rare = tools.filter(({ isRare }) => isRare);
  const waiting = new Set(tokensOf(rare) > fewTokens ? rare : []);
  const others = tools.filter((tool) => !waiting.has(tool));
  const hidesOnDemand = hasCalledOnDemand(entries, tools) || isTooMuch(others, toolTokens);
  if (waiting.size === 0 && !hidesOnDemand) return { callable: tools, shown: tools, hidesOnDemand };
  const shown = others.filter(({ onDemand }) => !hidesOnDemand || !onDemand);
  const found = tools.filter((tool) => !shown.includes(tool));
  const names = [...waiting].map(({ name }) => name).sort();
  const index = [createFindTools(found, { names, andOthers: hidesOnDemand }), callToolTool];
  return { callable: [...tools, ...index], shown: [...shown, ...index], hidesOnDemand };
}

function isTooMuch(tools: readonly Tool[], toolTokens: number): boolean {
  return tools.some(({ onDemand }) => onDemand) && tokensOf(tools) > toolTokens;
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

/** Whether a tool that is none of ours was ever called by the index, also in what was left out since. */
function hasCalledOnDemand(entries: readonly TranscriptEntry[], tools: readonly Tool[]): boolean {
  const ours = new Set(tools.flatMap(({ name, onDemand }) => (onDemand ? [] : [name])));
  return entries.some((entry) =>
    entry.kind === "checkpoint"
      ? entry.hasIndex === true
      : entry.kind === "assistant" && entry.toolCalls.some(({ name, via }) => via !== undefined && !ours.has(name)),
  );
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
