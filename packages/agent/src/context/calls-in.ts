import type { ToolResultEntry, ToolWaitingEntry, TranscriptEntry } from "../journal.ts";
import type { ToolCall } from "../model.ts";

/** A call with what came of it. */
export interface CallWithEnd {
  readonly call: ToolCall;
  readonly result?: ToolResultEntry;
  /** It has neither a result nor a settlement. */
  readonly waiting?: ToolWaitingEntry;
}

/** Every call of the entries, in their order. A result belongs to the newest call of its id before it. */
export function callsIn(entries: readonly TranscriptEntry[]): readonly CallWithEnd[] {
  const calls: Growing[] = [];
  const newest = new Map<string, Growing>();
  for (const entry of entries) {
    if (entry.kind !== "assistant") {
      if ("callId" in entry) grow(newest.get(entry.callId), entry);
      continue;
    }
    for (const call of entry.toolCalls) {
      const one = { call };
      calls.push(one);
      newest.set(call.callId, one);
    }
  }
  return calls;
}

type Growing = { -readonly [Key in keyof CallWithEnd]: CallWithEnd[Key] };

function grow(call: Growing | undefined, entry: TranscriptEntry): void {
  if (call === undefined) return;
  if (entry.kind === "tool.waiting") call.waiting = entry;
  if (entry.kind === "tool.result") call.result = entry;
  if (entry.kind === "call.settled") delete call.waiting;
}
