import type { AccountId } from "@talaria/protocol";
import type { MetGroup } from "@talaria/store";

interface GroupAccess {
  readonly groups: string;
  readonly allow: { readonly groups: readonly unknown[] };
}

/** Whether some group of an account answers everybody there: a person who is let in no more is a guest in it. `met`: as `GroupStore.list`. */
export function isAnsweredInGroups(
  accountId: AccountId,
  { groups, allow }: GroupAccess,
  met: readonly Pick<MetGroup, "accountId" | "allowedAt">[],
): boolean {
  if (groups === "off") return false;
  if (groups === "open" || allow.groups.length > 0) return true;
  return met.some((group) => group.accountId === accountId && group.allowedAt !== undefined);
}
