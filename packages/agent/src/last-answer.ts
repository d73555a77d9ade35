import { askModel } from "./answer.ts";
import type { CountedUsage } from "./counted-usage.ts";
import type { NoteEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";
import type { TurnFailureCode } from "./notices.ts";
import { type RunningTurn, workWordsOf } from "./running-turn.ts";
import { aborted, failed, interruptedAnswer, waitingResults } from "./turn-ends.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";
import type { TurnJournal } from "./turn-journal.ts";

/** Limits after which the model may still say what it has found. */
export type Limit = Extract<
  TurnFailureCode,
  "step_limit" | "output_limit" | "time_limit" | "repeated_failure" | "repetition"
>;

const mostChars = 6_000;

const reasons: Readonly<Record<Limit, string>> = {
  step_limit: "You have reached the limit of steps for one answer.",
  output_limit: "You have reached the limit of what one answer may say.",
  time_limit: "The time for one answer is over.",
  repeated_failure: "The same call has failed again and again.",
  repetition: "You keep making the same calls.",
};

/** At a limit, one answer without tools: what was found, what is done, what is left. Then the turn ends. */
export async function* lastAnswer(
  turn: RunningTurn,
  code: Limit,
  {
    before = [],
    usage,
  }: { readonly before?: readonly TranscriptEntry[]; readonly usage?: CountedUsage | undefined } = {},
): AsyncGenerator<TurnEvent, TurnOutcome> {
  const { journal, model, ending: signal, log } = turn;
  // Whoever had the turn before may have written it and died.
  if (!isToldOf(code, journal)) yield journal.record([...before, { ...noteOf(code), ...(usage && { usage }) }]);
  const request = { ...turn.request(), toolChoice: "none" } as const;
  const asked = yield* askModel(request, {
    model,
    signal,
    ...turn.shown(),
    maxChars: mostChars,
    words: workWordsOf(turn),
  });
  if (asked.status === "aborted") return aborted(journal, [], asked.partial, asked.usage);
  if (asked.status === "failed") {
    log.warn({ code: asked.code, reason: asked.reason }, "model gave no last answer");
    return code === "time_limit"
      ? aborted(journal, [], "", asked.usage)
      : failed(journal, code, { usage: asked.usage });
  }
  return failed(journal, code, { last: { ...asked.entry, toolCalls: [] } });
}

/**
 * The end of a turn whose `signal` is aborted: at once when somebody has ended it, and with a last answer when only its time is over.
 * `results`: of the calls that were ended. `said`: what of an answer had come.
 */
export async function* cutShort(
  turn: RunningTurn,
  { results = [], said = "", usage }: CutShort,
): AsyncGenerator<TurnEvent, TurnOutcome> {
  const { journal, ending } = turn;
  if (ending.aborted) return aborted(journal, results, said, usage);
  const open = journal.openAnswer;
  const waiting = open === undefined ? [] : waitingResults(open, journal);
  const waits = new Set(waiting.map(({ callId }) => callId));
  const ended = results.filter(({ callId }) => !waits.has(callId));
  return yield* lastAnswer(turn, "time_limit", { before: [...waiting, ...ended, ...interruptedAnswer(said)], usage });
}

interface CutShort {
  readonly results?: readonly ToolResultEntry[];
  readonly said?: string;
  readonly usage?: CountedUsage;
}

/** Whether the model has been told of the limit and has not answered since. */
export function isToldOf(code: Limit, { entries }: TurnJournal): boolean {
  const last = entries.at(-1);
  return last?.kind === "note" && last.text === noteOf(code).text;
}

function noteOf(code: Limit): NoteEntry {
  const text = `${reasons[code]} Now answer without calling tools: say what you have found, what is done, and what is left. People can ask you to go on from there.`;
  return { kind: "note", text };
}
