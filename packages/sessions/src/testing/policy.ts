import type { AccountPolicy } from "@talaria/protocol";

/** The policy of an account that sets no key, with these keys in place of its own. */
export function policyWith({
  access,
  groups,
  ...rest
}: { readonly [Key in keyof AccountPolicy]?: Partial<AccountPolicy[Key]> } = {}): AccountPolicy {
  return {
    access: {
      direct: "pairing",
      groups: "allowlist",
      allow: { users: [], groups: [] },
      owners: [],
      bots: "off",
      maxBotTurns: 5,
      ...access,
    },
    groups: {
      activation: "mention",
      keywords: [],
      threadHours: 24,
      ambient: { messages: 20, maxAgeMs: 3_600_000 },
      ...groups,
    },
    catchUp: { maxAgeMs: 86_400_000, notice: true, ...rest.catchUp },
    sessions: { direct: "thread", groups: "thread", ...rest.sessions },
    busy: { direct: "steer", groups: "queue", ...rest.busy },
  };
}
