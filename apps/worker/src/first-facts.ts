import { askersOf, type TranscriptEntry } from "@talaria/agent";
import { isTrusted, reachOf, renderSnapshot } from "@talaria/memory";
import { rightsOf } from "@talaria/policy";
import { type Conversation, isAtLeast, type Log, rolesIn, type SessionKey } from "@talaria/protocol";
import type { FactStore } from "@talaria/store";

export interface FirstFactsDeps {
  readonly facts: Pick<FactStore, "seen" | "used">;
  readonly log: Log;
}

export type FirstFacts = (
  sessionKey: SessionKey,
  conversation: Conversation,
  journal: readonly TranscriptEntry[],
) => Promise<string>;

/**
 * What is kept beyond sessions, as a part of the prompt of a memory's first turn, and counts as used with it; empty where there is nothing
 * that may be seen there. It stays as it is while the memory lasts. Rejects as the store does.
 */
export function createFirstFacts({ facts, log }: FirstFactsDeps): FirstFacts {
  return async (sessionKey, conversation, journal) => {
    const askers = askersOf(journal);
    const reach = reachOf({ sessionKey, conversation, askers });
    if (reach === undefined) return "";
    const [speaker] = askers;
    const trusting = reach.isPrivate && speaker !== undefined ? { person: speaker.sender.userId } : {};
    const seen = await facts.seen(reach);
    const shown = seen.filter((fact) => isTrusted(fact, trusting));
    const used = shown.map(({ id }) => id);
    await facts.used(used).catch((error: unknown) => log.warn({ sessionKey, error }, "uses of facts are not counted"));
    // Whoever has no tool to read the rest with is not told of it.
    const mayRecall = isAtLeast(rightsOf(rolesIn(askers)), "member");
    return renderSnapshot(mayRecall ? seen : shown, trusting);
  };
}
