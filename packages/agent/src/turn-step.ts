import type { Log } from "@talaria/protocol";
import { replyPartsOf, withQuestion } from "./added-parts.ts";
import { askModel } from "./answer.ts";
import { toolResult } from "./call-tool.ts";
import type { TurnWindow } from "./context/turn-window.ts";
import type { CountedUsage } from "./counted-usage.ts";
import type { AssistantEntry, CallSettledEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";
import { meantCall } from "./meant-call.ts";
import type { ModelPort, ModelRequest, ToolCall } from "./model.ts";
import { notices, type TurnFailureCode } from "./notices.ts";
import { replyOf } from "./reply-text.ts";
import { waitingText } from "./settled-calls.ts";
import { type Batch, type BatchSettings, cancelledCall, runBatch } from "./tool-batch.ts";
import type { TurnEvent, TurnOutcome } from "./turn-event.ts";
import { lateCall, type OpenAnswer, type TurnJournal } from "./turn-journal.ts";

const failuresUntilEnd = 5;
const makingRoom = "making room: this conversation is long";

export interface RunningTurn {
  readonly journal: TurnJournal;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly model: ModelPort;
  readonly window: TurnWindow;
  /** Makes the request for the next answer from everything said and done so far. */
  request(): ModelRequest;
  readonly batch: BatchSettings;
  steering(unwritten: readonly TranscriptEntry[]): Promise<readonly TranscriptEntry[]>;
  readonly maxSteps: number;
  readonly maxOutputChars: number;
  /** Somebody waits behind this turn. */
  readonly isHurried: boolean;
}

/**
 * Does what the journal says comes next: run calls that lack a result, wait for those that are answered later, or ask the
 * model. Returns the outcome when the turn is over or waits.
 */
export async function* takeStep(turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal, signal } = turn;
  const open = journal.openAnswer;
  if (signal.aborted)
    return aborted(
      journal,
      journal.unfinished.map((call) => cancelledCall(call, turn.batch)),
    );
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
  const unwritten = yield* runBatch(batch, turn.batch);
  if (signal.aborted) return aborted(journal, unwritten);
  if (journal.failuresInARow() >= failuresUntilEnd) return failed(journal, "repeated_failure");
  journal.add(await turn.steering([]));
  return undefined;
}

function lateBatch(settled: CallSettledEntry): Batch {
  return { stop: "tool_calls", calls: [lateCall(settled)], settlement: () => settled };
}

/**
 * Every open call waits. People are not kept waiting by that: once somebody has said something, or waits behind this turn, the
 * model goes on without the answers.
 */
async function* wait(open: OpenAnswer, turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal } = turn;
  if (journal.hasNewWords || turn.isHurried) {
    yield journal.record(waitingResults(open, journal));
    return undefined;
  }
  const said = await turn.steering([]);
  journal.add(said);
  return said.length === 0 ? { status: "suspended", final: [] } : undefined;
}

/** What the model reads of the calls that wait when it goes on without their answers. */
function waitingResults({ calls }: OpenAnswer, journal: TurnJournal): readonly ToolResultEntry[] {
  return calls.flatMap((call) => {
    const waiting = journal.waiting(call.callId);
    return waiting === undefined ? [] : [toolResult(call, waitingText(waiting), false)];
  });
}

async function* answer(turn: RunningTurn): AsyncGenerator<TurnEvent, TurnOutcome | undefined> {
  const { journal, signal, model, log } = turn;
  const meant = (call: ToolCall) => meantCall(call, turn.batch.tools);
  if (journal.steps >= turn.maxSteps) return failed(journal, "step_limit");
  const earlier = replyOf(journal.entries);
  const maxChars = turn.maxOutputChars - earlier.length;
  if (maxChars <= 0) return failed(journal, "output_limit");
  const due = turn.window.due;
  if (due !== undefined) {
    yield { type: "status", label: makingRoom };
    const made = await turn.window.make(due);
    if (made !== undefined) {
      yield journal.record([made]);
      return undefined;
    }
  }
  const asked = yield* askModel(turn.request(), { model, signal, earlier, maxChars });
  switch (asked.status) {
    case "aborted":
      return aborted(journal, [], asked.partial, asked.usage);
    case "failed":
      if (asked.code === "empty_answer" && hasParts(journal)) return await finish([silenceAfter(asked.usage)], turn);
      log.warn({ code: asked.code, reason: asked.reason }, "model gave no answer");
      if (asked.code === "context_full") {
        yield { type: "status", label: makingRoom };
        const made = await turn.window.makeAfterRefusal(asked.windowTokens);
        if (made !== undefined) {
          yield journal.record([made]);
          return undefined;
        }
      }
      return failed(journal, asked.code, asked.usage);
    case "answered": {
      const entry = { ...asked.entry, toolCalls: journal.withUniqueIds(asked.entry.toolCalls.map(meant)) };
      turn.window.learn(entry);
      if (entry.toolCalls.length === 0) return await finish([entry], turn);
      yield journal.record([entry]);
      return undefined;
    }
    default:
      return asked satisfies never;
  }
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

function failed(journal: TurnJournal, code: TurnFailureCode, usage?: CountedUsage): TurnOutcome {
  const notice = notices[code];
  const text = `This turn failed. The people were told: ${notice}`;
  const note: TranscriptEntry = { kind: "note", text, ...(usage && { usage }) };
  const open = journal.openAnswer;
  const waiting = open === undefined ? [] : waitingResults(open, journal);
  return { status: "failed", notice, code, partial: replyOf(journal.entries), final: [...waiting, note] };
}

function aborted(
  journal: TurnJournal,
  results: readonly ToolResultEntry[] = [],
  said = "",
  usage?: CountedUsage,
): TurnOutcome {
  const interrupted: readonly AssistantEntry[] =
    said.trim() === "" ? [] : [{ kind: "assistant", content: said, toolCalls: [], model: "", stop: "interrupted" }];
  const text = "This turn was stopped before it was finished.";
  const note: TranscriptEntry = { kind: "note", text, ...(usage && { usage }) };
  return {
    status: "aborted",
    partial: replyOf([...journal.entries, ...interrupted]),
    final: [...results, ...interrupted, note],
  };
}
