import type { ReasonedWords, Target, ToolWords } from "@talaria/protocol";
import type { CallPhrases } from "./call-phrases.ts";
import { callText } from "./call-text.ts";
import { describedCall } from "./described-call.ts";
import type { Shown } from "./shown-text.ts";

/** Of a call in its question. */
export const mostShownChars = 3_000;

/** A call as people see it who decide about it, Markdown, and in words that can be shown at any length. */
export interface ShownCall extends Shown {
  readonly words: ReasonedWords;
}

/** What a call does, see `describedCall`, and `why` somebody is asked. At most about `mostShownChars` without that. */
export function shownCall(
  call: { readonly name: string; readonly arguments: string },
  targets: readonly Target[],
  phrases: CallPhrases,
  { words: given, why = "" }: { readonly words?: ToolWords | undefined; readonly why?: string } = {},
): ShownCall {
  const { words: described, leftOut, hasHidden } = describedCall(call, targets, phrases, given);
  const words = { ...described, why };
  const shown = callText(words, mostShownChars + why.length, phrases);
  return { words, hasHidden, text: shown.text, leftOut: leftOut + shown.leftOut };
}
