import type { ToolResultEntry } from "./journal.ts";
import type { ToolCall } from "./model.ts";

export function toolResult({ callId, name }: ToolCall, content: string, isError: boolean): ToolResultEntry {
  return { kind: "tool.result", callId, name, content, isError };
}

/** The result of a call that was stopped. `mayHaveHappened`: it had started and can change things. */
export function cancelledResult(call: ToolCall, mayHaveHappened: boolean): ToolResultEntry {
  return toolResult(
    call,
    mayHaveHappened ? "Cancelled while it ran. It may have taken effect: verify before retrying." : "Cancelled.",
    true,
  );
}
