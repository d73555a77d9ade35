import type { CheckedCall } from "./check-call.ts";
import type { TurnJournal } from "./turn-journal.ts";

/** Of one answer. */
const mostCalls = 64;
/** That wait for people at the same time, in one conversation. */
const mostQuestions = 5;
const tooManyCalls = `Error: not run. An answer makes at most ${mostCalls} calls: make this one in a later answer.`;
const tooManyQuestions = `Error: not run, and nobody was asked. ${mostQuestions} calls wait for approval already: ask for the others when those are decided, or make one call that does it all.`;

/** People are asked so much at a time, and no answer makes them a list to tap through. */
export function withinLimits(
  checked: readonly CheckedCall[],
  journal: TurnJournal,
  earlierQuestions: number,
): readonly CheckedCall[] {
  const asked = new Set(journal.openQuestions);
  return checked.map((one, index) => {
    const { call } = one;
    if (index >= mostCalls) return { status: "refused", call, reason: tooManyCalls };
    if (one.status !== "waits" || asked.has(call.callId)) return one;
    if (earlierQuestions + asked.size >= mostQuestions) return { status: "refused", call, reason: tooManyQuestions };
    asked.add(call.callId);
    return one;
  });
}
