import type { CountedUsage } from "./counted-usage.ts";
import type { AssistantEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";
import { notices, type TurnFailureCode } from "./notices.ts";
import { replyOf, shownSoFar } from "./reply-text.ts";
import { waitingText } from "./settled-calls.ts";
import { toolResult } from "./tool-result.ts";
import type { TurnOutcome } from "./turn-event.ts";
import type { OpenAnswer, TurnJournal } from "./turn-journal.ts";

/** The end of a turn that can't go on. `last`: what the model has said when it was told so. */
export function failed(
  journal: TurnJournal,
  code: TurnFailureCode,
  { usage, last }: { readonly usage?: CountedUsage | undefined; readonly last?: AssistantEntry } = {},
): TurnOutcome {
  const notice = notices[code];
  const text = `This turn ${last === undefined ? "failed" : "was ended"}. The people were told: ${notice}`;
  const note: TranscriptEntry = { kind: "note", text, ...(usage && { usage }) };
  const open = journal.openAnswer;
  const waiting = open === undefined ? [] : waitingResults(open, journal);
  const partial = replyOf(journal.entries);
  if (last === undefined) return { status: "failed", notice, code, partial, final: [...waiting, note] };
  const said = replyOf([...journal.entries, last]);
  return {
    status: "failed",
    ...{ notice: `${said}\n\n${notice}`, answer: said, code, partial },
    final: [...waiting, last, note],
  };
}

export function aborted(
  journal: TurnJournal,
  results: readonly ToolResultEntry[] = [],
  said = "",
  usage?: CountedUsage,
): TurnOutcome {
  const interrupted = interruptedAnswer(said);
  const text = "This turn was stopped before it was finished.";
  const note: TranscriptEntry = { kind: "note", text, ...(usage && { usage }) };
  return {
    status: "aborted",
    partial:
      interrupted.length === 0 ? replyOf(journal.entries) : shownSoFar([...journal.entries, ...interrupted]).text,
    final: [...results, ...interrupted, note],
  };
}

/** What the model had said of an answer when it was cut short, if anything. */
export function interruptedAnswer(said: string): readonly AssistantEntry[] {
  if (said.trim() === "") return [];
  return [{ kind: "assistant", content: said, toolCalls: [], model: "", stop: "interrupted" }];
}

/** What the model reads of the calls that wait when it goes on without their answers. */
export function waitingResults({ calls }: OpenAnswer, journal: TurnJournal): readonly ToolResultEntry[] {
  return calls.flatMap((call) => {
    const waiting = journal.waiting(call.callId);
    return waiting === undefined ? [] : [toolResult(call, waitingText(waiting), false)];
  });
}
