import type { Tool, TranscriptEntry } from "@talaria/agent";

/** The calls of a turn that had begun and have no result: as far as they only read they run again, and ask the same again. */
export function repeatedCalls(journal: readonly TranscriptEntry[], tools: readonly Tool[]): ReadonlySet<string> {
  const [begun, names] = [new Set<string>(), new Map<string, string>()];
  for (const entry of journal) {
    if (entry.kind === "tool.started") begun.add(entry.callId);
    else if (entry.kind === "tool.result") begun.delete(entry.callId);
    else if (entry.kind === "call.settled") names.set(entry.id, entry.name);
    else if (entry.kind === "assistant") for (const { callId, name } of entry.toolCalls) names.set(callId, name);
  }
  const reading = new Set(tools.filter(({ effect }) => effect === "read").map(({ name }) => name));
  return new Set([...begun].filter((callId) => reading.has(names.get(callId) ?? "")));
}
