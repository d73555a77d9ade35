import { askedQuestion, type CallQuestion, callQuestion } from "@talaria/protocol";
import type { OpenCall } from "@talaria/store";

const nothingAsked: CallQuestion = { choices: [], takesWords: false };

/** What a call asks people for their choice or words. Nothing where it asks no such thing, or nobody would read the answer. */
export function questionOf(call: OpenCall): CallQuestion {
  const running = callQuestion(call);
  if (running !== undefined) return call.isAbandoned === true ? nothingAsked : running;
  const choices = call.waitsFor === "form" ? askedQuestion(call)?.choices : undefined;
  return choices === undefined ? nothingAsked : { choices, takesWords: false };
}
