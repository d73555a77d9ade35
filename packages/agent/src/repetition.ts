import type { AssistantEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";
import { worthOf } from "./worth.ts";

/** A circle has at most so many answers before it begins again. */
const longestCircle = 8;
/**
 * How often a circle is gone round before the turn ends, where its calls always bring the very same, and where they do not. Looking
 * at a build again and again is work: ten looks, with what they wait for, are a long build, and a call that waits by itself
 * brings more. Of longer circles fewer rounds tell as much, so that none makes more calls than `mostAnswers`: 20 for a circle of
 * two, 24 for one of three, four, six or eight.
 */
const roundsUntilEnd = { idle: 5, busy: 10 };
const mostAnswers = 24;
/** The model is told at the third round, and where the end comes with that, at the second. */
const roundsUntilHint = 3;
/**
 * What rounds may cost that always bring the very same, counted as limits count it: as much as a whole task. Where each answer reads a
 * large window anew, the turn ends before `roundsUntilEnd`, but not before the third answer and the second round.
 */
const mostSpent = 300_000;
/** All that is looked at. */
const answersLookedAt = mostAnswers + longestCircle;
/** Reads that bring nothing new once they have been left out. */
const readsUntilHint = 3;

/** What the model is told when it makes no headway, behind a result. */
export const hints = {
  failed:
    "This same call has failed three times in a row. Do not repeat it: change the approach, or say what is missing.",
  repeated:
    "You make the same calls again and again. Another round of them brings nothing new: take another step, or answer.",
  readAgain:
    "You made this call before the conversation was shortened. What you have found out stands in the checkpoint, and the results in its files: take the next step instead of reading everything again.",
};

/**
 * Whether a turn goes in circles, whatever its calls bring. `noticed`: since this answer, so that it is told once. `over`: for so long
 * that it makes no headway. What people say meanwhile begins it anew.
 */
export function repetitionIn(entries: readonly TranscriptEntry[]): "noticed" | "over" | undefined {
  const rounds = roundsIn(newestOf(entries));
  const circles = Array.from({ length: longestCircle }, (_, index) => circleOf(rounds, index + 1));
  if (circles.some(({ isOver }) => isOver)) return "over";
  // Who goes round a small circle goes round twice as large ones too.
  const isWithin = ({ length, answers }: Circle) =>
    circles.some((other) => other.length < length && other.answers >= answers);
  return circles.some((circle) => circle.isNoticed && !isWithin(circle)) ? "noticed" : undefined;
}

interface Circle {
  readonly length: number;
  /** So many of the newest answers belong to it. */
  readonly answers: number;
  readonly isNoticed: boolean;
  readonly isOver: boolean;
}

function circleOf(rounds: readonly Round[], length: number): Circle {
  const most = Math.floor(mostAnswers / length);
  const until = { idle: Math.min(roundsUntilEnd.idle, most), busy: Math.min(roundsUntilEnd.busy, most) };
  const answers = inCircle(rounds, length, sameCalls);
  const idle = inCircle(rounds, length, sameResults);
  const isDear = idle >= Math.max(roundsUntilHint, 2 * length) && spentIn(rounds.slice(-idle)) >= mostSpent;
  return {
    length,
    answers,
    // There is a round left to do better.
    isNoticed: answers === Math.min(roundsUntilHint, until.idle - 1) * length,
    isOver: answers >= until.busy * length || idle >= until.idle * length || isDear,
  };
}

/**
 * Whether the newest result is the third, or a later one, of calls that were made before the conversation was shortened and are made
 * again since.
 */
export function readsAgain(entries: readonly TranscriptEntry[], newest: ToolResultEntry): boolean {
  const shortened = entries.findLastIndex(({ kind }) => kind === "cleared" || kind === "checkpoint");
  if (shortened === -1) return false;
  const before = new Set(roundsIn(entries.slice(0, shortened)).flatMap(({ calls }) => calls));
  const again = entries
    .slice(shortened)
    .flatMap((entry) => (entry.kind === "assistant" ? entry.toolCalls.filter((call) => before.has(textOf(call))) : []));
  return again.length >= readsUntilHint && again.some(({ callId }) => callId === newest.callId);
}

/** One answer with calls, and what each of those has brought. */
interface Round {
  readonly calls: readonly string[];
  readonly brought: readonly (string | undefined)[];
  /** What the answer counts for limits of tokens. */
  readonly worth: number;
}

function spentIn(rounds: readonly Round[]): number {
  return rounds.reduce((sum, { worth }) => sum + worth, 0);
}

function roundsIn(entries: readonly TranscriptEntry[]): readonly Round[] {
  const results = new Map<string, string>();
  for (const entry of entries) if (entry.kind === "tool.result") results.set(entry.callId, withoutHint(entry.content));
  return entries.filter(hasCalls).map(({ toolCalls, usage }) => ({
    calls: toolCalls.map(textOf),
    brought: toolCalls.map(({ callId }) => results.get(callId)),
    worth: usage === undefined ? 0 : (usage.worth ?? worthOf(usage)),
  }));
}

/** The entries since people have last said something, of as many answers with calls as are looked at. */
function newestOf(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  let answers = 0;
  const before = entries.findLastIndex((entry) => {
    if (hasCalls(entry)) answers += 1;
    return answers > answersLookedAt || entry.kind === "user" || entry.kind === "call.settled";
  });
  return entries.slice(before + 1);
}

function hasCalls(entry: TranscriptEntry): entry is AssistantEntry {
  return entry.kind === "assistant" && entry.toolCalls.length > 0;
}

function withoutHint(content: string): string {
  const hint = `\n\n[${hints.repeated}]`;
  return content.endsWith(hint) ? content.slice(0, -hint.length) : content;
}

function textOf({ name, arguments: given }: AssistantEntry["toolCalls"][number]): string {
  return `${name} ${given}`;
}

/** How many of the newest rounds are the same as the one `length` before them, with the first `length` of all. */
function inCircle(rounds: readonly Round[], length: number, isSame: (one: Round, before: Round) => boolean): number {
  if (rounds.length < length) return 0;
  let first = rounds.length - 1;
  for (; first >= length; first -= 1) {
    const [one, before] = [rounds[first], rounds[first - length]];
    if (one === undefined || before === undefined || !isSame(one, before)) break;
  }
  return rounds.length - 1 - first + length;
}

function sameCalls(one: Round, before: Round): boolean {
  return areEqual(one.calls, before.calls);
}

function sameResults(one: Round, before: Round): boolean {
  return sameCalls(one, before) && areEqual(one.brought, before.brought);
}

function areEqual(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
