import type { CallSettledEntry, ToolResultEntry, ToolWaitingEntry, TranscriptEntry } from "../journal.ts";
import type { ToolCall } from "../model.ts";

/** A call with what came of it. */
export interface CallWithEnd {
  readonly call: ToolCall;
  readonly result?: ToolResultEntry;
  /** Its answer is to come: it has neither a settlement nor a result that says that it failed. */
  readonly waiting?: ToolWaitingEntry;
  /** What came of a call for which the model did not wait. The call itself stands before it, perhaps in what is not here. */
  readonly isLate?: true;
}

/** Every call of the entries, in their order. A result belongs to the newest call of its id before it. */
export function callsIn(entries: readonly TranscriptEntry[]): readonly CallWithEnd[] {
  const found: Found = { calls: [], newest: new Map(), waiting: new Set(), settled: new Map() };
  for (const entry of entries) take(entry, found);
  return found.calls;
}

interface Found {
  readonly calls: Growing[];
  readonly newest: Map<string, Growing>;
  readonly waiting: Set<Growing>;
  readonly settled: Map<string, CallSettledEntry>;
}

type Growing = { -readonly [Key in keyof CallWithEnd]: CallWithEnd[Key] };

function take(entry: TranscriptEntry, { calls, newest, waiting, settled }: Found): void {
  switch (entry.kind) {
    case "assistant":
      for (const call of entry.toolCalls) {
        const one = { call };
        calls.push(one);
        newest.set(call.callId, one);
      }
      break;
    case "tool.waiting": {
      const one = newest.get(entry.callId);
      if (one !== undefined) waiting.add(Object.assign(one, { waiting: entry }));
      break;
    }
    case "call.settled": {
      settled.set(entry.id, entry);
      const one = [...waiting].findLast(({ call }) => isSettledBy(call, entry));
      if (one !== undefined) end(one, waiting);
      break;
    }
    case "tool.result": {
      const late = settled.get(entry.callId);
      if (late !== undefined) calls.push({ call: callOf(late), result: entry, isLate: true });
      const one = newest.get(entry.callId);
      if (one === undefined) break;
      one.result = entry;
      // Somebody has stopped it.
      if (entry.isError) end(one, waiting);
      break;
    }
    default:
  }
}

function end(one: Growing, waiting: Set<Growing>): void {
  delete one.waiting;
  waiting.delete(one);
}

/** Ids of calls are unique within one turn only. */
export function isSettledBy(call: ToolCall, settled: CallSettledEntry): boolean {
  return call.callId === settled.callId && call.name === settled.name && call.arguments === settled.arguments;
}

function callOf({ id, name, arguments: given }: CallSettledEntry): ToolCall {
  return { callId: id, name, arguments: given };
}
