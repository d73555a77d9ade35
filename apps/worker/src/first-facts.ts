import { askersOf, type TranscriptEntry } from "@talaria/agent";
import { isTrusted, reachOf, renderSnapshot } from "@talaria/memory";
import { rightsOf } from "@talaria/policy";
import {
  type Asker,
  type Conversation,
  isAtLeast,
  joinAskers,
  type Log,
  rolesIn,
  type SessionKey,
} from "@talaria/protocol";
import type { FactStore } from "@talaria/store";

export interface FirstFactsDeps {
  readonly facts: Pick<FactStore, "seen" | "used">;
  readonly log: Log;
}

/** `entries`: all that the prompt stands before. `begins`: nothing was said in the memory before them. */
export type FirstFacts = (
  sessionKey: SessionKey,
  conversation: Conversation,
  entries: readonly TranscriptEntry[],
  begins: boolean,
) => Promise<string>;

/**
 * What is kept beyond sessions, as the last part of a memory's prompt, and counts as used where it begins with it; empty where there is
 * nothing that may be seen there. Rejects as the store does.
 */
export function createFirstFacts({ facts, log }: FirstFactsDeps): FirstFacts {
  return async (sessionKey, conversation, entries, begins) => {
    const askers = everyoneIn(entries);
    const reach = reachOf({ sessionKey, conversation, askers });
    if (reach === undefined) return "";
    const [speaker] = askers;
    const trusting = reach.isPrivate && speaker !== undefined ? { person: speaker.sender.userId } : {};
    const seen = await facts.seen(reach);
    const shown = seen.filter((fact) => isTrusted(fact, trusting));
    const used = begins ? shown.map(({ id }) => id) : [];
    await facts.used(used).catch((error: unknown) => log.warn({ sessionKey, error }, "uses of facts are not counted"));
    // Whoever has no tool to read the rest with is not told of it.
    const mayRecall = isAtLeast(rightsOf(rolesIn(askers)), "member");
    return renderSnapshot(mayRecall ? seen : shown, trusting);
  };
}

/** Also those whose words a checkpoint stands for. */
export function everyoneIn(entries: readonly TranscriptEntry[]): readonly Asker[] {
  const before = entries.flatMap((entry) => (entry.kind === "checkpoint" ? entry.derived.askers : []));
  return joinAskers([...before, ...askersOf(entries)]);
}
