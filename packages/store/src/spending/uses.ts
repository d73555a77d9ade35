import type { StoredEntry } from "../ports/turns.ts";

/** More than any model reads and writes for one answer: what a provider counts beyond that is an error of its own. */
const maxTokens = 100_000_000;
/** What one answer counts for limits of tokens, at most: a dear model's tokens count several times. */
const mostWorth = 10_000_000_000;
/** A hundred million of any currency for one answer, in millionths. */
const maxCost = 100_000_000_000_000;
/** Names come from servers. */
const maxNameChars = 200;

/** What one answer has used, as a row of the table `usage`. */
interface Use {
  readonly model?: string;
  readonly provider?: string;
  readonly servedBy?: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  /** Absent: the price is unknown. */
  readonly cost?: number;
}

/** What a call that writes entries says of their usage. Without any, nothing. */
export interface UsesOf {
  readonly uses?: readonly Use[];
  /** What all of them count for limits of tokens. */
  readonly tokens: number;
  /** Of those whose price is known, in millionths of the currency. */
  readonly cost: number;
}

/** What these entries account for. Entries without usage count nothing. */
export function usesOf(entries: readonly StoredEntry[]): UsesOf {
  const uses = entries.flatMap(toUse);
  return {
    ...(uses.length === 0 ? {} : { uses }),
    tokens: entries.reduce((sum, { usage }) => sum + worthOf(usage), 0),
    cost: uses.reduce((sum, { cost = 0 }) => sum + cost, 0),
  };
}

function toUse({ usage, model: servedBy }: StoredEntry): readonly Use[] {
  if (usage === undefined) return [];
  const { model, provider, cost } = usage;
  const use = {
    inputTokens: counted(usage.inputTokens),
    cachedTokens: counted(usage.cachedTokens),
    cacheWriteTokens: counted(usage.cacheWriteTokens),
    outputTokens: counted(usage.outputTokens),
    reasoningTokens: counted(usage.reasoningTokens),
  };
  return [
    {
      ...named("model", model),
      ...named("provider", provider),
      ...named("servedBy", servedBy),
      ...use,
      ...(typeof cost === "number" && cost >= 0 ? { cost: Math.min(maxCost, Math.ceil(cost)) } : {}),
    },
  ];
}

function worthOf(usage: StoredEntry["usage"]): number {
  if (usage === undefined) return 0;
  const { worth, inputTokens, outputTokens } = usage;
  if (typeof worth !== "number" || !(worth >= 0)) return counted(inputTokens) + counted(outputTokens);
  return Math.min(mostWorth, Math.ceil(worth));
}

function named<Key extends string>(key: Key, name: unknown): { readonly [K in Key]?: string } {
  const text = typeof name === "string" ? name.slice(0, maxNameChars).toWellFormed() : "";
  return (text === "" ? {} : { [key]: text }) as { readonly [K in Key]?: string };
}

function counted(tokens: unknown): number {
  return typeof tokens === "number" && tokens > 0 ? Math.min(maxTokens, Math.ceil(tokens)) : 0;
}
