import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type AccountId,
  type AccountPolicy,
  brandAs,
  type Role,
  type Sender,
  silentLog,
  type UserId,
} from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { endFormerRights } from "./former-rights.ts";

const policy = (direct: string, access: object) =>
  ({ access: { direct, owners: [], allow: { users: [], groups: [] }, ...access } }) as unknown as AccountPolicy;

const policies: Readonly<Record<string, AccountPolicy>> = {
  open: policy("open", { owners: ["ada"], allow: { users: ["bob"] } }),
  paired: policy("pairing", {}),
  hook: policy("open", { proven: "member" }),
};

for (const [account, user, then, ...expected] of [
  ["open", "ada", "owner"],
  ["open", "former", "owner", "guest lost member,owner"],
  ["open", "bob", "owner", "member lost owner"],
  ["open", "bob", "member"],
  ["paired", "approved", "member"],
  ["paired", "revoked", "member", "guest lost member,owner", "revoked shut"],
  ["paired", "stranger", "guest", "stranger shut"],
  ["open", "guest", "guest"],
  ["hook", "route", "owner", "member lost owner"],
  ["gone", "ada", "owner"],
] as const)
  it(`rights of now: ${user} on ${account} was ${then}`, async () => {
    const weakened: string[] = [];
    await endFormerRights({
      rights: {
        atWork: async () => [
          {
            accountId: brandAs<AccountId>(account),
            sender: senderOf(user),
            role: then as Role,
            conversation: messageFrom({ account, from: user, conversation: user }).conversation,
          },
        ],
        shut: async (_account, place) => {
          weakened.push(`${place} shut`);
          return 1;
        },
        weaken: async ({ role, lost }) => {
          weakened.push(`${role} lost ${lost.join()}`);
          return 1;
        },
      },
      pairing: { isApproved: async (_account, userId) => userId === "approved" },
      policyOf: (accountId) => policies[accountId],
      mandateOf: () => undefined,
      log: silentLog,
    });
    assert.deepEqual(weakened, expected);
  });

const had = { owner: "telegram:user:ada", toolsets: ["web", "terminal"] };
for (const [name, now, ...expected] of [
  ["the same", had],
  ["more", { ...had, toolsets: ["files", "terminal", "web"] }],
  ["less", { ...had, toolsets: ["web"] }, "owner lost owner, keeps web"],
  ["another owner", { ...had, owner: "telegram:user:bob" }, "member lost owner, keeps nothing"],
] as const)
  it(`rights of now: a route that acts for an owner has ${name}`, async () => {
    const weakened: string[] = [];
    const sender = { ...senderOf("route"), role: "system", assurance: "signed", mandate: had } as const;
    const { conversation } = messageFrom({ account: "acting" });
    await endFormerRights({
      rights: {
        atWork: async () => [{ accountId: conversation.accountId, sender, role: "owner", conversation }],
        shut: async () => 0,
        weaken: async ({ role, lost, mandate }) => {
          weakened.push(`${role} lost ${lost.join()}, keeps ${mandate?.toolsets.join() ?? "nothing"}`);
          return 1;
        },
      },
      pairing: { isApproved: async () => false },
      policyOf: () => policy("open", { proven: "owner" }),
      mandateOf: () => now,
      log: silentLog,
    });
    assert.deepEqual(weakened, expected);
  });

function senderOf(user: string): Sender {
  return { userId: brandAs<UserId>(user), role: "person", displayName: user, assurance: "platform" };
}
