import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type DeliveryKey,
  silentLog,
  type UserId,
} from "@talaria/protocol";
import { policyWith } from "../../../packages/sessions/src/testing/policy.ts";
import { askAccess, welcomes } from "../../../packages/store/src/test-people.ts";
import { createTestStore } from "../../../packages/store/src/test-store.ts";
import { withdrawListed } from "./withdraw-listed.ts";

it("withdraws the request of whoever is in the configuration by now, with the questions about it, and no other", async () => {
  await using test = await createTestStore();
  const { pairing, outbox } = test.store;
  for (const id of ["owner", "member", "other", "blocked"]) {
    const asked = await askAccess(pairing, { account: "main", id });
    assert.ok(asked.outcome === "code");
    if (id === "blocked") await pairing.decide({ id: asked.id, from: ["waiting"], to: "blocked", ...welcomes });
    await outbox.add([
      {
        deliveryKey: brandAs<DeliveryKey>(`person:${asked.id}:main:den`),
        kind: "notice",
        conversation: {
          accountId: "main",
          conversationId: "den",
          kind: "direct",
          platform: "loopback",
        } as Conversation,
        markdown: "Somebody wants to talk to me.",
        attachments: [],
      },
    ]);
  }
  await askAccess(pairing, { account: "gone", id: "member" });
  const users = ["owner", "member", "blocked"].map((id) => brandAs<UserId>(id));
  const policy = policyWith({ access: { owners: users.slice(0, 1), allow: { users: users.slice(1), groups: [] } } });
  const deps = { pairing, policyOf: (id: AccountId) => (id === "main" ? policy : undefined), log: silentLog };
  await withdrawListed(deps);
  await withdrawListed(deps);
  assert.deepEqual(
    (await pairing.list()).map(({ accountId, userId, state }) => `${accountId}/${userId} ${state}`).sort(),
    ["gone/member waiting", "main/blocked blocked", "main/other waiting"],
  );
  const lease = await test.store.accounts.acquire(brandAs<AccountId>("main"), "loopback", brandAs("gateway"), 60_000);
  assert.ok(lease);
  const closings = (await outbox.due(lease, [], 100)).filter(({ kind }) => kind === "closing");
  assert.equal(closings.length, 2);
});
