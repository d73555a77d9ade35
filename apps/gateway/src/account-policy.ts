import type { TalariaConfig } from "@talaria/config";
import { type AccountId, type AccountPolicy, brandAs, type Mandate, type Role } from "@talaria/protocol";

/** The web chat's account; always there. */
export const webAccountId = brandAs<AccountId>("web");

/** The account that stands for a webhook route. */
export function webhookAccountId(route: string): AccountId {
  return brandAs<AccountId>(`webhook-${route}`);
}

/** Who may talk through which account. Accounts that are not in the answer are unknown: their events are refused. */
export function accountPolicies(config: TalariaConfig): ReadonlyMap<AccountId, AccountPolicy> {
  const policies = new Map<AccountId, AccountPolicy>([[webAccountId, provenPolicy("steer", "owner")]]);
  for (const [route, { onBehalfOf }] of Object.entries(config.webhooks))
    policies.set(webhookAccountId(route), provenPolicy("queue", onBehalfOf === undefined ? "member" : "owner"));
  for (const [id, account] of Object.entries(config.accounts)) policies.set(brandAs<AccountId>(id), account);
  return policies;
}

/** What webhook routes may do on an owner's behalf. */
export function routeMandates(config: Pick<TalariaConfig, "webhooks">): ReadonlyMap<AccountId, Mandate> {
  const mandates = new Map<AccountId, Mandate>();
  for (const [route, { onBehalfOf: owner, toolset: toolsets }] of Object.entries(config.webhooks))
    if (owner !== undefined && toolsets !== undefined) mandates.set(webhookAccountId(route), { owner, toolsets });
  return mandates;
}

/**
 * Senders here have proven themselves by a token or a signature before an event exists. The web chat's token is the
 * operator's; a webhook route has the rights of somebody whom the operator let in, or of the
 * owner for whom it acts.
 */
function provenPolicy(busy: AccountPolicy["busy"]["direct"], proven: Role): AccountPolicy {
  return {
    access: {
      direct: "open",
      groups: "off",
      allow: { users: [], groups: [] },
      owners: [],
      proven,
      bots: "off",
      maxBotTurns: 1,
    },
    groups: { activation: "always", keywords: [], threadHours: 0, ambient: { messages: 0, maxAgeMs: 0 } },
    catchUp: { maxAgeMs: Number.MAX_SAFE_INTEGER, notice: false },
    sessions: { direct: "thread", groups: "thread" },
    busy: { direct: busy, groups: "queue" },
  };
}
