import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, type AccountPolicy, brandAs, silentLog, type UserId } from "@talaria/protocol";
import type { Home } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { forgetFormerOwners } from "./former-owners.ts";

const home = (account: string, user: string): Home => ({
  userId: brandAs<UserId>(user),
  conversation: messageFrom({ account, conversation: user }).conversation,
});

it("forgets where people are asked who are owners no more, and what they have agreed to", async () => {
  const owners = [brandAs<UserId>("ada")];
  const policies: Readonly<Record<string, object>> = {
    main: { access: { owners } },
    console: { access: { owners: [], proven: "owner" } },
    machines: { access: { owners: [], proven: "member" } },
  };
  const removed: string[] = [];
  const given = (account: string, user: string) => {
    return { id: `${account}-${user}`, accountId: brandAs<AccountId>(account), userId: brandAs<UserId>(user) };
  };
  await forgetFormerOwners({
    calls: {
      homes: async () => [
        home("main", "ada"),
        home("main", "bob"),
        home("gone", "ada"),
        home("console", "x"),
        home("machines", "y"),
      ],
      removeHome: async ({ userId, conversation }) => void removed.push(`${conversation.accountId}/${userId}`),
      ownersGrants: async () => [
        given("main", "ada"),
        given("main", "bob"),
        given("gone", "ada"),
        given("console", "x"),
      ],
      removeGrant: async (id) => void removed.push(id),
    },
    policyOf: (accountId: AccountId) => policies[accountId] as AccountPolicy | undefined,
    log: silentLog,
  });
  assert.deepEqual(removed, ["main/bob", "gone/ada", "machines/y", "main-bob", "gone-ada"]);
});
