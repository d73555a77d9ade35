import { GatewayError } from "@talaria/protocol";
import type { CheckedCall } from "./check-call.ts";
import type { ToolWaitingEntry } from "./journal.ts";
import { isForPeople, type TurnJournal } from "./turn-journal.ts";

/** Of one answer. */
const mostCalls = 64;
/** That wait for people at the same time, in one conversation: calls to approve, and what people are asked. */
const mostQuestions = 5;
const tooManyCalls = `Error: not run. An answer makes at most ${mostCalls} calls: make this one in a later answer.`;
const questionsWait = `${mostQuestions} questions wait for people already`;
const tooManyQuestions = `Error: not run, and nobody was asked. ${questionsWait}: ask the others when those are answered, or make one call that does it all.`;

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
    if (!asksPeople(one) || asked.has(call.callId)) return one;
    if (earlierQuestions + asked.size >= mostQuestions) return { status: "refused", call, reason: tooManyQuestions };
    asked.add(call.callId);
    return one;
  });
}

/** Throws `invalid_request` where one more question than these calls would be too much for a conversation. */
export function refuseFurther(waiting: readonly Pick<ToolWaitingEntry, "waitsFor">[]): void {
  if (waiting.filter(isForPeople).length >= mostQuestions)
    throw new GatewayError(questionsWait, { code: "invalid_request" });
}

function asksPeople(one: CheckedCall): boolean {
  return one.status === "waits" || (one.status === "ready" && one.tool.asksPeople === true);
}
