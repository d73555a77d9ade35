import assert from "node:assert/strict";
import { it } from "node:test";
import { type AccountId, type AccountPolicy, brandAs, type Role, silentLog, type UserId } from "@talaria/protocol";
import type { Home } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { forgetFormerOwners } from "./former-owners.ts";

const home = (account: string, user: string): Home => ({
  userId: brandAs<UserId>(user),
  conversation: messageFrom({ account, conversation: user }).conversation,
});

it("asks nobody who is no owner now until they are again, and forgets what they have agreed to", async () => {
  const owners = [brandAs<UserId>("ada")];
  const policies: Readonly<Record<string, object>> = {
    main: { access: { owners, allow: { users: [brandAs<UserId>("eve")] }, direct: "pairing" } },
    console: { access: { owners: [], proven: "owner" } },
    machines: { access: { owners: [], proven: "member" } },
  };
  const removed: string[] = [];
  const given = (account: string, user: string, byRole: Role = "owner") => ({
    id: `${account}-${user}-${byRole}`,
    accountId: brandAs<AccountId>(account),
    by: messageFrom({ account, from: user }).sender,
    byRole,
  });
  await forgetFormerOwners({
    calls: {
      notedPlaces: async () => [],
      homes: async () => [
        home("main", "ada"),
        home("main", "bob"),
        home("gone", "ada"),
        home("console", "x"),
        home("machines", "y"),
      ],
      restHome: async ({ userId, conversation }) => void removed.push(`${conversation.accountId}/${userId}`),
      restingHomes: async () => [home("main", "ada"), home("main", "eve"), home("gone", "ada")],
      wakeHome: async ({ userId, conversation }) => void removed.push(`again ${conversation.accountId}/${userId}`),
      givenGrants: async () => [
        given("main", "ada"),
        given("main", "bob"),
        given("gone", "ada"),
        given("console", "x"),
        given("main", "eve"),
        given("main", "eve", "member"),
        given("main", "bob", "member"),
        given("main", "paired", "member"),
        given("gone", "eve", "member"),
        given("machines", "y", "member"),
      ],
      removeGrant: async (id) => void removed.push(id),
    },
    pairing: { isApproved: async (_account, userId) => userId === "paired" },
    policyOf: (accountId: AccountId) => policies[accountId] as AccountPolicy | undefined,
    log: silentLog,
  });
  assert.deepEqual(removed, [
    "main/bob",
    "gone/ada",
    "machines/y",
    "again main/ada",
    "main-bob-owner",
    "gone-ada-owner",
    "main-eve-owner",
    "main-bob-member",
    "gone-eve-member",
  ]);
});
