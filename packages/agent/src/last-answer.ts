import { askModel } from "./answer.ts";
import type { NoteEntry } from "./journal.ts";
import type { TurnFailureCode } from "./notices.ts";
import type { RunningTurn } from "./running-turn.ts";
import { aborted, failed } from "./turn-ends.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";

/** Limits after which the model may still say what it has found. */
export type Limit = Extract<TurnFailureCode, "step_limit" | "output_limit" | "repeated_failure" | "repetition">;

const mostChars = 6_000;

const reasons: Readonly<Record<Limit, string>> = {
  step_limit: "You have reached the limit of steps for one answer.",
  output_limit: "You have reached the limit of what one answer may say.",
  repeated_failure: "The same call has failed again and again.",
  repetition: "You keep making the same calls.",
};

/** At a limit, one answer without tools: what was found, what is done, what is left. Then the turn ends. */
export async function* lastAnswer(turn: RunningTurn, code: Limit): AsyncGenerator<TurnEvent, TurnOutcome> {
  const { journal, model, signal, log } = turn;
  const note = noteOf(code);
  const last = journal.entries.at(-1);
  // Whoever had the turn before may have written it and died.
  if (last?.kind !== "note" || last.text !== note.text) yield journal.record([note]);
  const request = { ...turn.request(), toolChoice: "none" } as const;
  const asked = yield* askModel(request, { model, signal, ...turn.shown(), maxChars: mostChars });
  if (asked.status === "aborted") return aborted(journal, [], asked.partial, asked.usage);
  if (asked.status === "failed") {
    log.warn({ code: asked.code, reason: asked.reason }, "model gave no last answer");
    return failed(journal, code, { usage: asked.usage });
  }
  return failed(journal, code, { last: { ...asked.entry, toolCalls: [] } });
}

function noteOf(code: Limit): NoteEntry {
  const text = `${reasons[code]} Now answer without calling tools: say what you have found, what is done, and what is left. People can ask you to go on from there.`;
  return { kind: "note", text };
}
