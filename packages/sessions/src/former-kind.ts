import type { Conversation } from "@talaria/protocol";
import type { GateDeps } from "./gate-deps.ts";
import { notices } from "./notices.ts";

type FormerKindDeps = Pick<GateDeps, "rights" | "wake" | "cancel" | "deliver" | "log">;

/**
 * The conversation is of this kind now. Where it was of another one, nothing goes on of what was begun then, with the rights of then:
 * turns, calls that wait, what processes were to tell, words that nobody has read. Resolves once that holds; rejects when the store is
 * away.
 */
export async function endFormerKind(conversation: Conversation, deps: FormerKindDeps): Promise<void> {
  const { accountId, conversationId, kind } = conversation;
  const markdown = kind === "direct" ? notices.becameDirect : notices.becameGroup;
  const ended = await deps.rights.endFormerKind(conversation, { markdown });
  for (const { sessionKey, holder } of ended) {
    deps.log.info(
      { accountId, conversationId, sessionKey, kind },
      "a conversation is of another kind: what ran has ended",
    );
    if (holder === undefined) deps.wake(sessionKey);
    else deps.cancel(holder, sessionKey);
  }
  if (ended.length > 0) deps.deliver(accountId);
}
