import type { TranscriptEntry } from "./journal.ts";

/** What was planned last, as the tool that plans has said it, also before the conversation was shortened. */
export function lastPlan(entries: readonly TranscriptEntry[]): string | undefined {
  for (let index = entries.length - 1; index >= 0; index -= 1) {
    const entry = entries[index];
    if (entry?.kind === "checkpoint" && entry.plan !== undefined) return entry.plan;
    const planned = entry?.kind === "tool.result" ? entry.did?.findLast(({ kind }) => kind === "planned") : undefined;
    if (planned?.kind === "planned") return planned.plan;
  }
  return undefined;
}
