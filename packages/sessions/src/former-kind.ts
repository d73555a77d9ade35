import type { AccountId, Conversation } from "@talaria/protocol";
import type { EndedSession } from "@talaria/store";
import { english } from "@talaria/words";
import type { GateDeps } from "./gate-deps.ts";

type FormerKindDeps = Pick<GateDeps, "rights" | "wake" | "cancel" | "deliver" | "log">;

/**
 * The conversation is of this kind now. Where it was of another one, nothing goes on of what was begun then, with the rights of then:
 * turns, calls that wait, what processes were to tell, words that nobody has read. Resolves once that holds; rejects when the store is
 * away.
 */
export async function endFormerKind(conversation: Conversation, deps: FormerKindDeps): Promise<void> {
  const { accountId, conversationId, kind } = conversation;
  const markdown = kind === "direct" ? english.notices.becameDirect : english.notices.becameGroup;
  const ended = await deps.rights.endFormerKind(conversation, { markdown });
  for (const { sessionKey } of ended)
    deps.log.info(
      { accountId, conversationId, sessionKey, kind },
      "a conversation is of another kind: what ran has ended",
    );
  tellEnded(accountId, ended, deps);
}

/** Whoever has these sessions looks at once, and so does who shows what was asked in them. */
export function tellEnded(
  accountId: AccountId,
  ended: readonly EndedSession[],
  { wake, cancel, deliver }: Pick<FormerKindDeps, "wake" | "cancel" | "deliver">,
): void {
  for (const { sessionKey, holder } of ended) {
    if (holder === undefined) wake(sessionKey);
    else cancel(holder, sessionKey);
  }
  if (ended.length > 0) deliver(accountId);
}
