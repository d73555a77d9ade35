import type { TranscriptEntry, TurnDeps } from "@talaria/agent";
import type { Log } from "@talaria/protocol";
import type { Claim, TurnStore } from "@talaria/store";
import { type ClaimedTurn, systemOf } from "./claimed-turn.ts";
import type { FirstFacts } from "./first-facts.ts";
import type { Patience } from "./patience.ts";
import { readHistory } from "./read-entries.ts";

export interface FactsInDeps {
  /** Without it, nothing that is kept beyond memories is known. */
  readonly firstFacts?: FirstFacts;
  /** How long providers may keep what they have read. */
  readonly cacheMs: number;
  readonly log: Log;
}

/**
 * What the prompt of a turn that begins tells of what is kept: as it was frozen, but new where the provider reads everything anew anyway,
 * after a pause longer than its cache, or where the conversation is about to be shortened since somebody has asked for it.
 */
export async function factsIn(
  { lease, conversation, prompt, facts = "", compact, idleMs = 0, history }: Claim,
  journal: readonly TranscriptEntry[],
  { firstFacts, cacheMs, log }: FactsInDeps,
): Promise<string> {
  if (firstFacts === undefined) return "";
  const begins = prompt === undefined;
  if (!begins && compact !== true && idleMs <= cacheMs) return facts;
  return await firstFacts(lease.sessionKey, conversation, [...readHistory(history, log), ...journal], begins);
}

export interface RenewalDeps {
  readonly firstFacts?: FirstFacts;
  readonly turns: Pick<TurnStore, "keepFacts">;
  readonly patiently: Patience;
}

/** The same once a running turn has shortened its conversation. Kept before it is used. */
export function renewalOf(
  claimed: ClaimedTurn,
  entries: () => readonly TranscriptEntry[],
  { firstFacts, turns, patiently }: RenewalDeps,
): Pick<TurnDeps, "renewPrompt"> {
  if (firstFacts === undefined) return {};
  const { lease, turnId, conversation, prompt } = claimed;
  let known = claimed.facts;
  const renewPrompt = async () => {
    const facts = await patiently(() => firstFacts(lease.sessionKey, conversation, entries(), false));
    if (facts === known) return undefined;
    await patiently(() => turns.keepFacts(lease, turnId, facts));
    known = facts;
    return systemOf({ prompt, facts });
  };
  return { renewPrompt };
}
