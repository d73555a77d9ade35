import type { OpenCall } from "@talaria/store";
import type { Answerable, Words } from "@talaria/words";
import { questionOf } from "./question-of.ts";

/** What of these waits for somebody's words, with how to answer it. */
export function toBeAnswered(calls: readonly OpenCall[], { notices }: Words): readonly Answerable[] {
  return calls.flatMap((call) => {
    const { id, shown, words, approver = "owner", isOverdue, isAbandoned = false } = call;
    if (isOverdue || isAbandoned) return [];
    if (call.waitsFor === "approval")
      return [{ id, shown, words, how: notices.decides(id, approver), isApproval: true }];
    const { choices, takesWords } = questionOf(call);
    return choices.length === 0 && !takesWords ? [] : [{ id, shown, how: notices.answers(id, choices, takesWords) }];
  });
}
