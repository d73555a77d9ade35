import assert from "node:assert/strict";
import { it } from "node:test";
import {
  type AccountId,
  type AccountPolicy,
  brandAs,
  type ProcessId,
  type Role,
  type Sender,
  type SessionKey,
  silentLog,
  type UserId,
} from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { endFormerRights } from "./former-rights.ts";

const silent = { wake: () => undefined, cancel: () => undefined, deliver: () => undefined };

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
          return [];
        },
        weaken: async ({ role, lost }) => {
          weakened.push(`${role} lost ${lost.join()}`);
          return [];
        },
      },
      pairing: {
        isApproved: async (_account, userId) => userId === "approved",
        standingOf: async (_account, userId) => (userId === "approved" ? "approved" : undefined),
        isGroupAllowed: async () => false,
      },
      policyOf: (accountId) => policies[accountId],
      mandateOf: () => undefined,
      ...silent,
      log: silentLog,
    });
    assert.deepEqual(weakened, expected);
  });

it("rights of now: whoever runs what has ended is told at once, and its questions close", async () => {
  const told: string[] = [];
  const running = { sessionKey: brandAs<SessionKey>("open/runs"), holder: brandAs<ProcessId>("worker-1") };
  const { conversation } = messageFrom({ account: "open", from: "bob" });
  await endFormerRights({
    rights: {
      atWork: async () => [{ accountId: conversation.accountId, sender: senderOf("bob"), role: "owner", conversation }],
      shut: async () => [],
      weaken: async () => [running, { sessionKey: brandAs<SessionKey>("open/waits") }],
    },
    pairing: { isApproved: async () => false, standingOf: async () => undefined, isGroupAllowed: async () => false },
    policyOf: (accountId) => policies[accountId],
    mandateOf: () => undefined,
    wake: (sessionKey) => told.push(`wake ${sessionKey}`),
    cancel: (worker, sessionKey) => told.push(`cancel ${worker} ${sessionKey}`),
    deliver: (accountId) => told.push(`deliver ${accountId}`),
    log: silentLog,
  });
  assert.deepEqual(told, ["cancel worker-1 open/runs", "wake open/waits", "deliver open"]);
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
        shut: async () => [],
        weaken: async ({ role, lost, mandate }) => {
          weakened.push(`${role} lost ${lost.join()}, keeps ${mandate?.toolsets.join() ?? "nothing"}`);
          return [];
        },
      },
      pairing: { isApproved: async () => false, standingOf: async () => undefined, isGroupAllowed: async () => false },
      policyOf: () => policy("open", { proven: "owner" }),
      mandateOf: () => now,
      ...silent,
      log: silentLog,
    });
    assert.deepEqual(weakened, expected);
  });

function senderOf(user: string): Sender {
  return { userId: brandAs<UserId>(user), role: "person", displayName: user, assurance: "platform" };
}
