import type { InboundEvent } from "@talaria/protocol";
import type { OperationsStore, Usage } from "@talaria/store";
import { type Words, wordsFor } from "@talaria/words";
import { costText } from "./cost-text.ts";
import { readRole } from "./role.ts";
import { leftText, type SpendingTextDeps } from "./spending-text.ts";

const thirtyDaysMs = 30 * 86_400_000;

export interface UsageTextDeps extends Pick<SpendingTextDeps, "spending" | "policy" | "approved"> {
  readonly operations: Pick<OperationsStore, "usage" | "spent">;
}

/** What the sender has used, and what is left. An owner reads in a direct conversation also what everybody has. */
export async function usageText(event: InboundEvent, deps: UsageTextDeps): Promise<string> {
  const { conversation, sender } = event;
  const { accountId } = conversation;
  const { notices } = wordsFor(event);
  const userId = sender.assurance === "claimed" ? "(unverified)" : sender.userId;
  const all = { by: "total", withinMs: thirtyDaysMs, limit: 1 } as const;
  const [own] = await deps.operations.usage({ ...all, person: { accountId, userId } });
  const isOwner = (await readRole(sender, deps.policy, deps.approved)) === "owner";
  const lines = [lineOf("own", own, deps, isOwner, notices)];
  if (isOwner && conversation.kind === "direct")
    lines.push(lineOf("all", (await deps.operations.usage(all))[0], deps, isOwner, notices));
  const left = await leftText(event, deps);
  return [...lines, ...(left === "" ? [] : [left])].join("\n\n");
}

/** The cache, and a cost that nobody knows, tell only owners something. */
function lineOf(
  whose: "own" | "all",
  usage: Usage | undefined,
  { spending }: UsageTextDeps,
  isOwner: boolean,
  notices: Words["notices"],
): string {
  if (usage === undefined) return notices.noUsage(whose);
  const { answers, inputTokens, cachedTokens, outputTokens, cost } = usage;
  return notices.usage(whose, {
    answers,
    tokens: inputTokens + outputTokens,
    cached: isOwner ? Math.round((100 * cachedTokens) / Math.max(1, inputTokens)) : undefined,
    cost: isOwner || cost !== undefined ? costText(usage, spending.currency ?? "", notices) : undefined,
  });
}
