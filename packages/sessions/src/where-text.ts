import type { InboundEvent, MessageId, SessionKey } from "@talaria/protocol";
import type { CallStore, OperationsStore, Whereabouts } from "@talaria/store";
import { inWords } from "./approval-notices.ts";
import { notices } from "./notices.ts";
import { toBeAnswered } from "./to-be-answered.ts";

export interface WhereTextDeps {
  readonly operations: Pick<OperationsStore, "whereabouts">;
}

interface AskedDeps extends WhereTextDeps {
  readonly calls: Pick<CallStore, "waiting">;
}

/** Longer than this, and the platform does not take the answer. */
const soonMs = 30_000;

/** Where the answer stands to the message that is replied to, or to the sender's last one. */
export async function whereText(event: InboundEvent, sessionKey: SessionKey, deps: AskedDeps): Promise<string> {
  const found = await meantIn(event, sessionKey, deps);
  if (found?.state === "asking") {
    const asked = toBeAnswered((await deps.calls.waiting(sessionKey)).filter(({ turnId }) => turnId === found.turnId));
    return [textOf(found), ...(asked.length === 0 ? [] : [notices.toBeAnswered(asked)])].join("\n\n");
  }
  if (found !== undefined) return textOf(found);
  return repliedTo(event) === undefined
    ? "You have written nothing to me here yet, or that was too long ago."
    : "I have no answer to that message: it was not for me, or it was too long ago.";
}

/** What the event's sender means with `/where` and `/cost`. */
export function meantIn(
  event: InboundEvent,
  sessionKey: SessionKey,
  { operations }: WhereTextDeps,
): Promise<Whereabouts | undefined> {
  const { conversation, sender } = event;
  return operations.whereabouts({ sessionKey, conversation, messageId: repliedTo(event), userId: sender.userId });
}

function repliedTo(event: InboundEvent): MessageId | undefined {
  return event.type === "message.created" ? event.message.replyTo : undefined;
}

function textOf({ state, sinceMs, ahead, isBusy }: Whereabouts): string {
  const time = inWords(sinceMs);
  switch (state) {
    case "waiting": {
      const before = ahead === 0 ? "" : ` Before it: ${ahead === 1 ? "1 message" : `${ahead} messages`}.`;
      const why = isBusy ? "I'm still busy with what came before it" : "I take it up as soon as a worker is free";
      return `It has waited for ${time}: ${why}.${before}`;
    }
    case "running":
      return `I have been working on it for ${time}.`;
    case "asking":
      return "I'm working on it, and wait for people.";
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
    case "refused_by_limit":
      return "It came when a limit was reached, so I didn't take it up: `/status` says until when. Write it again then.";
    case "stopped_by_limit":
      return `I stopped working on it ${time} ago, since a limit was reached: \`/status\` says until when. Say "continue" then.`;
    case "set_aside":
      return "I gave up on it after several failures. An operator can let me try again with `talaria retry`.";
    default:
      return state satisfies never;
  }
}
