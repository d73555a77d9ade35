import { replyPartsOf, withQuestion } from "./added-parts.ts";
import { type Answer, askModel } from "./answer.ts";
import type { CheckpointEntry, ClearedEntry } from "./context/context-entries.ts";
import type { CountedUsage } from "./counted-usage.ts";
import type { AssistantEntry, CallSettledEntry } from "./journal.ts";
import { cutShort, isToldOf, type Limit, lastAnswer } from "./last-answer.ts";
import { meantCall } from "./meant-call.ts";
import type { ToolCall } from "./model.ts";
import type { TurnFailureCode } from "./notices.ts";
import { repetitionIn } from "./repetition.ts";
import { replyOf } from "./reply-text.ts";
import type { RunningTurn } from "./running-turn.ts";
import { shownWork } from "./shown-work.ts";
import { type Batch, cancelledCall, runBatch } from "./tool-batch.ts";
import { failed, waitingResults } from "./turn-ends.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";
import { lateCall, type OpenAnswer, type TurnJournal } from "./turn-journal.ts";

const failuresUntilEnd = 5;
const progressChars = 200;
const mayBeTooLong: ReadonlySet<TurnFailureCode> = new Set(["context_full", "bad_request"]);
const makingRoom = "making room: this conversation is long";

/**
 * Does what the journal says comes next: run calls that lack a result, wait for those that are answered later, or ask the
 * model. Returns the outcome when the turn is over or waits.
 */
export async function* takeStep(turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal, signal } = turn;
  const open = journal.openAnswer;
  if (signal.aborted) {
    yield* journal.flush();
    return yield* cutShort(turn, { results: journal.unfinished.map((call) => cancelledCall(call, turn.batch)) });
  }
  const [late] = journal.lateSettlements;
  if (late !== undefined) return yield* act(lateBatch(late), turn);
  if (open !== undefined) {
    const runnable = open.calls.filter(({ callId }) => journal.waiting(callId) === undefined);
    if (runnable.length === 0) return yield* wait(open, turn);
    const settlement = (callId: string) => journal.settlement(callId);
    return yield* act({ stop: open.answer.stop, calls: runnable, settlement }, turn);
  }
  if (journal.finalAnswer !== undefined) return await finish([], turn);
  return yield* answer(turn);
}

async function* act(batch: Batch, turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal, signal } = turn;
  const results = yield* runBatch(batch, turn.batch);
  if (signal.aborted) return yield* cutShort(turn, { results });
  const brake = brakeFor(journal);
  if (brake !== undefined) return yield* lastAnswer(turn, brake);
  journal.add(await turn.steering([]));
  return undefined;
}

/** Whether the turn makes no headway. */
function brakeFor(journal: TurnJournal): Limit | undefined {
  if (journal.failuresInARow() >= failuresUntilEnd) return "repeated_failure";
  return repetitionIn(journal.entries) === "over" ? "repetition" : undefined;
}

function lateBatch(settled: CallSettledEntry): Batch {
  return { stop: "tool_calls", calls: [lateCall(settled)], settlement: () => settled };
}

/**
 * Every open call waits. People are not kept waiting by that: once somebody has said something, a call asked about before has
 * ended, or somebody waits behind this turn, the model goes on without the answers.
 */
async function* wait(open: OpenAnswer, turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal } = turn;
  if (journal.hasNews || turn.isHurried) {
    yield journal.record(waitingResults(open, journal));
    return undefined;
  }
  const said = await turn.steering([]);
  journal.add(said);
  return said.length === 0 ? { status: "suspended", final: [] } : undefined;
}

async function* answer(turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal, signal, model, log } = turn;
  const meant = (call: ToolCall) => meantCall(call, turn.batch.tools);
  if (isToldOf("time_limit", journal)) return yield* lastAnswer(turn, "time_limit");
  if (journal.steps >= turn.maxSteps) return yield* lastAnswer(turn, "step_limit");
  const shown = turn.shown();
  const maxChars = turn.maxOutputChars - shown.earlier.length;
  if (maxChars <= 0) return yield* lastAnswer(turn, "output_limit");
  const due = turn.window.due;
  if (due !== undefined) {
    yield { type: "status", label: makingRoom };
    const made = await turn.window.make(due);
    if (made !== undefined) {
      yield* shortened(made, turn);
      return undefined;
    }
  }
  const mayBeEmpty = hasParts(journal);
  if (journal.steps > 0) yield { type: "status", label: "thinking" };
  const asked = yield* askModel(turn.request(), { model, signal, ...shown, maxChars, mayBeEmpty });
  switch (asked.status) {
    case "aborted":
      return yield* cutShort(turn, { said: asked.partial, usage: asked.usage });
    case "failed":
      if (asked.code === "empty_answer" && mayBeEmpty) return await finish([silenceAfter(asked.usage)], turn);
      log.warn({ code: asked.code, reason: asked.reason }, "model gave no answer");
      if (mayBeTooLong.has(asked.code) && (yield* makeRoom(asked, turn))) return undefined;
      return failed(journal, asked.code, { usage: asked.usage });
    case "answered": {
      const entry = { ...asked.entry, toolCalls: journal.withUniqueIds(asked.entry.toolCalls.map(meant)) };
      turn.window.learn(entry);
      if (entry.toolCalls.length === 0) return await finish([entry], turn);
      // In one statement with the start of its calls.
      journal.hold([entry]);
      yield* progress(entry);
      return undefined;
    }
    default:
      return asked satisfies never;
  }
}

/** After a refusal that is for length, or may be. Whether there is room now, or a reason to ask all the same. */
async function* makeRoom(
  { code, windowTokens, guessed }: Extract<Answer, { readonly status: "failed" }>,
  turn: RunningTurn,
): AsyncGenerator<TurnEvent, boolean> {
  const { window } = turn;
  yield { type: "status", label: makingRoom };
  const isLength = code === "context_full";
  const made = await (isLength ? window.makeAfterRefusal(windowTokens) : window.makeAfterRejection());
  if (made === undefined) return guessed === true && window.askAnyway();
  yield* shortened(made, turn);
  return true;
}

/** What stands for a conversation from now on has the model read everything anew, so that its prompt may be new as well. */
async function* shortened(made: ClearedEntry | CheckpointEntry, turn: RunningTurn): AsyncGenerator<TurnEvent, void> {
  yield turn.journal.record([made]);
  if (made.kind === "checkpoint") await turn.shortened();
}

/** What is said between calls is news of the work. */
function* progress({ content }: AssistantEntry): Generator<TurnEvent, void> {
  const [line = ""] = content.trim().split("\n", 1);
  if (line !== "") yield { type: "status", label: shownWork(line, progressChars) };
}

/** Ends the turn with its last answer, unless somebody has said something meanwhile. */
async function finish(
  unwritten: readonly AssistantEntry[],
  { journal, signal, steering }: RunningTurn,
): Promise<TurnOutcome | undefined> {
  const written = signal.aborted ? [] : await steering(unwritten);
  if (written.length === 0) {
    const parts = replyPartsOf(journal.entries);
    const markdown = withQuestion(replyOf([...journal.entries, ...unwritten]), parts);
    return { status: "completed", markdown, parts, final: unwritten };
  }
  journal.add(written);
  return undefined;
}

/** The end of a turn whose reply is a file or a question: nothing more was said. */
function silenceAfter(usage: CountedUsage | undefined): AssistantEntry {
  return { kind: "assistant", content: "", toolCalls: [], model: "", stop: "end", ...(usage && { usage }) };
}

function hasParts({ entries }: TurnJournal): boolean {
  const { attachments, choices } = replyPartsOf(entries);
  return attachments !== undefined || choices !== undefined;
}
