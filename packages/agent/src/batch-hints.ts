import type { ToolResultEntry } from "./journal.ts";
import { hints, readsAgain, repetitionIn } from "./repetition.ts";
import type { TurnJournal } from "./turn-journal.ts";

const failuresUntilHint = 3;

/** A result with what the model is told when it makes no headway. `results`: those of its batch so far, with it. */
export function withHint(
  end: ToolResultEntry,
  journal: TurnJournal,
  results: readonly ToolResultEntry[],
): ToolResultEntry {
  const hint = hintFor(end, journal, results);
  return hint === undefined ? end : { ...end, content: `${end.content}\n\n[${hint}]` };
}

function hintFor(end: ToolResultEntry, journal: TurnJournal, results: readonly ToolResultEntry[]): string | undefined {
  if (journal.failuresInARow(results) === failuresUntilHint) return hints.failed;
  const last = journal.entries.findLast((entry) => entry.kind === "assistant")?.toolCalls.at(-1);
  const entries = [...journal.entries, ...results];
  if (last?.callId === end.callId && repetitionIn(entries) === "noticed") return hints.repeated;
  return readsAgain(entries, end) ? hints.readAgain : undefined;
}
