import type { Whereabouts } from "@talaria/store";
import { codeOf, oneLine } from "../marks.ts";
import { inWords } from "./spans.ts";

/** Longer than this, and the platform does not take the answer. */
const soonMs = 30_000;

/** What people read who ask where the answer to a message stands. */
export const where = {
  is: whereIs,
  nothingWritten: "You have written nothing to me here yet, or that was too long ago.",
  noSuchMessage: "I have no answer to that message: it was not for me, or it was too long ago.",
};

/** Where the answer to a message stands, as a sentence. */
function whereIs({ state, sinceMs, ahead, isBusy, doing }: Whereabouts): string {
  const time = inWords(sinceMs);
  switch (state) {
    case "waiting": {
      const before = ahead === 0 ? "" : ` Before it: ${ahead === 1 ? "1 message" : `${ahead} messages`}.`;
      const why = isBusy ? "I'm still busy with what came before it" : "I'll start on it as soon as a worker is free";
      return `It has been waiting for ${time}: ${why}.${before}`;
    }
    case "running":
      return `I have been working on it for ${time}.${doing === undefined ? "" : ` Right now: ${codeOf(oneLine(doing))}.`}`;
    case "asking":
      return "I'm working on it, and waiting for somebody to answer.";
    case "sending":
      return sinceMs < soonMs
        ? "It is answered, and the answer is on its way."
        : `It was answered ${time} ago, but the platform doesn't take the answer. I keep trying.`;
    case "undelivered":
      return `It was answered ${time} ago, but the answer could not be delivered. An operator can send it again with \`talaria retry\`.`;
    case "completed":
      return `It was answered ${time} ago.`;
    case "failed":
      return `I failed to answer it ${time} ago. \`/retry\` tries again.`;
    case "aborted":
      return `It was stopped ${time} ago. \`/retry\` answers it after all.`;
    case "dropped":
      return "It was set aside before I began: by `/stop`, by a new conversation, or by what was said later. Write it again if you need an answer.";
    case "not_let_in":
      return "You weren't let in yet when you sent it, and I haven't kept it. Please send it again.";
    case "refused_by_limit":
      return "It came while a limit was reached, so I didn't answer it. `/status` says until when; please write it again then. If an owner lifts the limit earlier, I'll say here whether I answer it by myself.";
    case "stopped_by_limit":
      return `I stopped working on it ${time} ago, because a limit was reached. \`/status\` says until when; say "continue" then.`;
    case "set_aside":
      return "I gave up on it after several failures. An operator can let me try again with `talaria retry`.";
    default:
      return state satisfies never;
  }
}
