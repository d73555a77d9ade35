import type { AssistantEntry, ToolResultEntry, TranscriptEntry } from "./journal.ts";

/** A circle has at most so many answers before it begins again. */
const longestCircle = 4;
/** Reads that bring nothing new once they have been left out. */
const readsUntilHint = 3;

/** What the model is told when it makes no headway, behind a result. */
export const hints = {
  failed:
    "This same call has failed three times in a row. Do not repeat it: change the approach, or say what is missing.",
  repeated:
    "You have made the same calls three times in a row. Another one brings nothing new: take another step, or answer.",
  readAgain:
    "You made this call before the conversation was shortened. What you have found out stands in the checkpoint, and the results in its files: take the next step instead of reading everything again.",
};

export interface Repetition {
  /** How often the newest calls, or the newest few after each other, were made in a row; 1: only once. */
  readonly times: number;
  /** They have always brought the very same. */
  readonly isIdle: boolean;
}

const none: Repetition = { times: 1, isIdle: false };

/** Whether a turn goes in circles, whatever its calls bring. What people say meanwhile begins it anew. */
export function repetitionIn(entries: readonly TranscriptEntry[]): Repetition {
  const heard = entries.findLastIndex(({ kind }) => kind === "user" || kind === "call.settled");
  const answers = roundsIn(entries.slice(heard + 1));
  const found = Array.from({ length: longestCircle }, (_, index) => repeated(answers, index + 1));
  return found.reduce((best, one) => (one.times > best.times ? one : best), none);
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

/** One answer with calls, and what those have brought. */
interface Round {
  readonly calls: readonly string[];
  readonly text: string;
  readonly brought: string;
}

function roundsIn(entries: readonly TranscriptEntry[]): readonly Round[] {
  const results = new Map<string, string>();
  for (const entry of entries) if (entry.kind === "tool.result") results.set(entry.callId, withoutHint(entry.content));
  const answers = entries.filter((entry): entry is AssistantEntry => entry.kind === "assistant");
  return answers
    .filter(({ toolCalls }) => toolCalls.length > 0)
    .map(({ toolCalls }) => {
      const calls = toolCalls.map(textOf);
      return { calls, text: calls.join("\n"), brought: toolCalls.map(({ callId }) => results.get(callId)).join("\n") };
    });
}

function withoutHint(content: string): string {
  return content.replace(`\n\n[${hints.repeated}]`, "");
}

function textOf({ name, arguments: given }: AssistantEntry["toolCalls"][number]): string {
  return `${name} ${given}`;
}

/** How often the last `length` rounds stand at the end after each other. */
function repeated(rounds: readonly Round[], length: number): Repetition {
  const last = rounds.slice(-length);
  if (last.length < length) return none;
  let times = 1;
  let isIdle = true;
  for (let end = rounds.length - length; end >= length; end -= length) {
    const earlier = rounds.slice(end - length, end);
    if (!earlier.every(({ text }, index) => text === last[index]?.text)) break;
    isIdle &&= earlier.every(({ brought }, index) => brought === last[index]?.brought);
    times += 1;
  }
  return { times, isIdle: times > 1 && isIdle };
}
