import { type AccountPolicy, brandAs, silentLog, type UserId } from "@talaria/protocol";
import { forgetFormerOwners } from "../../apps/gateway/src/former-owners.ts";
import { endFormerRights } from "../../apps/gateway/src/former-rights.ts";
import { policyWith } from "../../packages/sessions/src/testing/policy.ts";
import { letIn, removePerson } from "../../packages/store/src/test-people.ts";
import type { House } from "../support/house.ts";
import { from, waits } from "./waits.ts";

type Access = Partial<AccountPolicy["access"]>;

/** What becomes of the rights of the people of one account. */
export interface Change {
  readonly before: Access;
  /** Absent: nothing is configured anew. */
  readonly after?: Access;
  /** An operator approved their pairings, and takes them back. */
  readonly isRevoked?: true;
}

/** Everybody who waits, once for each kind of waiting. */
const them = Object.keys(waits).map((wait) => brandAs<UserId>(wait));
const ada = brandAs<UserId>("ada");

const nobody: Access = { owners: [ada] };
const owners: Access = { owners: [ada, ...them] };
const members: Access = { owners: [ada], allow: { users: them, groups: [] } };

/** By account. */
export const changes = {
  "stays an owner": { before: { direct: "open", ...owners }, after: { direct: "open", ...owners } },
  "owner to guest": { before: { direct: "open", ...owners }, after: { direct: "open", ...nobody } },
  "owner to member": { before: { direct: "open", ...owners }, after: { direct: "open", ...members } },
  "owner to stranger": { before: { direct: "allowlist", ...owners }, after: { direct: "allowlist", ...nobody } },
  "member to stranger": { before: { direct: "allowlist", ...members }, after: { direct: "allowlist", ...nobody } },
  "pairing revoked": { before: { direct: "pairing", ...nobody }, isRevoked: true },
  "owner to guest in a group": {
    before: { direct: "allowlist", groups: "open", ...owners },
    after: { direct: "allowlist", groups: "open", ...nobody },
  },
  "stays an owner in a group": {
    before: { direct: "allowlist", groups: "open", ...owners },
    after: { direct: "allowlist", groups: "open", ...owners },
  },
  "shut out in a group": {
    before: { direct: "allowlist", groups: "open", ...members },
    after: { direct: "allowlist", groups: "allowlist", ...members },
  },
  "guest to stranger": { before: { direct: "open", ...nobody }, after: { direct: "allowlist", ...nobody } },
  "guest to owner": { before: { direct: "open", ...nobody }, after: { direct: "open", ...owners } },
} as const satisfies Readonly<Record<string, Change>>;

export type ChangeName = keyof typeof changes;

/** The accounts of a house whose policies can be changed. */
export class ChangingPolicies {
  readonly #after = new Set<string>();

  readonly accounts = Object.fromEntries(
    Object.entries(changes).map(([name, { before, ...change }]: [string, Change]) => {
      const policyOf = () => this.#policy(this.#after.has(name) ? (change.after ?? before) : before);
      const account = { platform: "loopback" as const };
      return [name, Object.defineProperty(account, "policy", { get: policyOf, enumerable: true })];
    }),
  ) as unknown as Readonly<Record<string, { readonly platform: "loopback"; readonly policy: AccountPolicy }>>;

  readonly policyOf = (account: string): AccountPolicy | undefined => this.accounts[account]?.policy;

  async pair(house: House): Promise<void> {
    for (const [name, change] of Object.entries(changes))
      if ("isRevoked" in change)
        for (const id of them) {
          await house.receive(from(name, id, "let me in"));
          const row = (await house.store.pairing.list()).find(({ userId }) => userId === id);
          await letIn(house.store.pairing, row?.id ?? "");
        }
  }

  /** Everything changes at once: an operator edits the file, which starts the gateway anew, and uses the command line. */
  async change(house: House): Promise<void> {
    for (const name of Object.keys(changes)) this.#after.add(name);
    const { calls, pairing, rights } = house.store;
    const { policyOf } = this;
    await forgetFormerOwners({ calls, pairing, policyOf, log: silentLog });
    // Nobody hears of it: what holds must not depend on being told.
    const deaf = { wake: () => undefined, cancel: () => undefined, deliver: () => undefined };
    await endFormerRights({ rights, pairing, policyOf, mandateOf: () => undefined, ...deaf, log: silentLog });
    for (const { id, state } of await pairing.list()) if (state === "approved") await removePerson(pairing, id);
  }

  #policy(access: Access): AccountPolicy {
    return policyWith({ access, catchUp: { maxAgeMs: Number.MAX_SAFE_INTEGER, notice: false } });
  }
}
