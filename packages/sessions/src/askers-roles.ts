import {
  type AccountId,
  type AccountPolicy,
  isAtLeast,
  type Role,
  type SessionKey,
  type UserId,
} from "@talaria/protocol";
import type { MemoryStore, PairingStore } from "@talaria/store";
import { readRole } from "./role.ts";

/** As many turns as `/retry` looks at. */
const searchedTurns = 20;

export interface AskersRolesDeps {
  readonly memories: Pick<MemoryStore, "turns">;
  readonly pairing: Pick<PairingStore, "isApproved">;
  readonly policy: AccountPolicy;
}

/** What everybody may do now who has asked something in the newest turns of a session. */
export async function askersRoles(
  sessionKey: SessionKey,
  accountId: AccountId,
  { memories, pairing, policy }: AskersRolesDeps,
): Promise<readonly { readonly userId: UserId; readonly role: Role }[]> {
  const turns = await memories.turns(sessionKey, searchedTurns);
  const roles = new Map<UserId, Role>();
  for (const { sender } of turns.flatMap(({ asked }) => asked)) {
    const known = roles.get(sender.userId);
    // Whoever has only claimed to be somebody had no more rights then either.
    if (known !== undefined && (known !== "unverified" || sender.assurance === "claimed")) continue;
    const role = await readRole(sender, policy, () => pairing.isApproved(accountId, sender.userId));
    if (known === undefined || isAtLeast(role, known)) roles.set(sender.userId, role);
  }
  return [...roles].map(([userId, role]) => ({ userId, role }));
}
