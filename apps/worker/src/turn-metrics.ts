import type { TranscriptEntry } from "@talaria/agent";
import { microsPerUnit } from "@talaria/policy";

/** Metrics of turns. None of these may throw. Durations are in milliseconds. */
export interface TurnMetrics {
  turnStarted(): void;
  /** `suspended`: it waits for calls that are answered later, or another worker continues it. `code`: why it ended so. */
  turnFinished(outcome: "answered" | "failed" | "stopped" | "suspended", durationMs: number, code?: string): void;
  firstToken(model: string, latencyMs: number): void;
  streamed(deltas: number): void;
  toolCalled(tool: string, outcome: "ok" | "error"): void;
  /** `cost` in units of money; absent: the price is unknown. */
  modelUsed(
    model: string,
    tokens: Readonly<Record<"input" | "cached" | "cache_write" | "output", number>>,
    cost?: number,
  ): void;
  /** A request to a model, by its name in the configuration, failed so. */
  modelFailed(model: string, code: string): void;
  /** A limit of that scope and unit kept so many events from being answered. */
  spendingRefused(scope: string, unit: string, events: number): void;
  /** How a conversation was gone through for facts. */
  passEnded(outcome: "kept" | "nothing" | "failed" | "given_up" | "postponed"): void;
  /** So many changes that its model proposed were not made. */
  factsDropped(changes: number): void;
  stage(stage: "recorded_to_claimed" | "claimed_to_answered", durationMs: number): void;
}

/** What the entries account for. */
export function countUsage(entries: readonly TranscriptEntry[], metrics: Pick<TurnMetrics, "modelUsed">): void {
  for (const entry of entries) {
    if (!("usage" in entry) || entry.usage === undefined) continue;
    const { model = "unknown", inputTokens, cachedTokens, cacheWriteTokens = 0, outputTokens, cost } = entry.usage;
    const input = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens);
    const tokens = { input, cached: cachedTokens, cache_write: cacheWriteTokens, output: outputTokens };
    metrics.modelUsed(model, tokens, cost === undefined ? undefined : cost / microsPerUnit);
  }
}

export function countTools(entries: readonly TranscriptEntry[], metrics: TurnMetrics): void {
  for (const entry of entries)
    if (entry.kind === "tool.result") metrics.toolCalled(entry.name, entry.isError ? "error" : "ok");
}
