import { moneyText } from "@talaria/policy";
import type { InboundEvent, SessionKey } from "@talaria/protocol";
import type { OperationsStore, Usage } from "@talaria/store";
import { type Words, wordsFor } from "@talaria/words";
import type { SpendingTextDeps } from "./spending-text.ts";
import { answerMeant, type WhereTextDeps } from "./where-text.ts";

const yearMs = 365 * 86_400_000;

export interface CostTextDeps extends Pick<SpendingTextDeps, "spending">, Pick<WhereTextDeps, "head"> {
  readonly operations: WhereTextDeps["operations"] & Pick<OperationsStore, "usage">;
}

/** What the answer that is replied to has cost so far, or the one to the sender's last message. */
export async function costOfAnswer(event: InboundEvent, sessionKey: SessionKey, deps: CostTextDeps): Promise<string> {
  const { notices } = wordsFor(event);
  const meant = await answerMeant(event, sessionKey, deps);
  const { found } = meant ?? {};
  if (meant === undefined || found?.turnId === undefined) return notices.noCost;
  const turn = { sessionKey: meant.sessionKey, turnId: found.turnId };
  const [used] = await deps.operations.usage({ by: "turn", withinMs: yearMs, limit: 1, turn });
  if (used === undefined) return notices.noModelUsed;
  const { answers, inputTokens, cachedTokens, outputTokens } = used;
  return notices.cost({
    isOver: found.state !== "running" && found.state !== "asking",
    requests: answers,
    read: inputTokens,
    cached: Math.round((100 * cachedTokens) / Math.max(1, inputTokens)),
    written: outputTokens,
    cost: costText(used, deps.spending.currency ?? "", notices),
  });
}

export function costText({ cost, unpriced }: Usage, currency: string, notices: Words["notices"]): string {
  if (cost === undefined) return notices.costUnknown;
  const known = moneyText(cost, currency);
  return unpriced === 0 ? known : notices.costInPart(known, unpriced);
}
