import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountPolicy } from "@talaria/protocol";
import { brandAs, type ConversationId, type UserId } from "@talaria/protocol";
import type { Standing } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { isStillAllowed } from "./still-allowed.ts";
import { policyWith } from "./testing/policy.ts";

const listed = { users: [brandAs<UserId>("listed")], groups: [brandAs<ConversationId>("g1")] };

function policyOf(access: Partial<AccountPolicy["access"]> = {}): AccountPolicy {
  return policyWith({ access: { allow: listed, ...access } });
}

const standings: Readonly<Record<string, Standing>> = { paired: "approved", blocked: "blocked", listed: "blocked" };

const direct = (from: string) => messageFrom({ from, conversation: "d1" });
/** As a call of a webhook's turn that was approved: the event comes from where its answer goes. */
const settled = (from: string) => {
  const event = direct(from);
  return { ...event, sender: { ...event.sender, role: "system" as const, assurance: "signed" as const } };
};
const group = (from: string, conversation = "g1") => messageFrom({ from, conversation, kind: "group" });

interface Row {
  readonly title: string;
  readonly asked: readonly ReturnType<typeof messageFrom>[];
  /** Where the answer goes; where it was asked for, unless said. */
  readonly to?: ReturnType<typeof messageFrom>;
  readonly policy?: AccountPolicy | "none";
  readonly allowed: boolean;
}

const rows: readonly Row[] = [
  { title: "a listed person", asked: [direct("listed")], allowed: true },
  { title: "a paired person", asked: [direct("paired")], allowed: true },
  { title: "a person whose pairing was revoked", asked: [direct("revoked")], allowed: false },
  {
    title: "a listed person when direct chats were turned off",
    asked: [direct("listed")],
    policy: policyOf({ direct: "off" }),
    allowed: false,
  },
  {
    title: "a paired person where only the list counts now",
    asked: [direct("paired")],
    policy: policyOf({ direct: "allowlist" }),
    allowed: false,
  },
  {
    title: "anybody where everybody may",
    asked: [direct("stranger")],
    policy: policyOf({ direct: "open" }),
    allowed: true,
  },
  { title: "several askers of whom one is left", asked: [direct("revoked"), direct("listed")], allowed: true },
  { title: "a listed group, whoever asked", asked: [group("revoked")], allowed: true },
  { title: "a listed group, where whoever asked is blocked", asked: [group("blocked")], allowed: false },
  { title: "a listed group, where one of several is blocked", asked: [group("blocked"), group("x")], allowed: true },
  {
    title: "somebody who was blocked, where everybody else may",
    asked: [direct("blocked")],
    policy: policyOf({ direct: "open" }),
    allowed: false,
  },
  { title: "a group that an operator let in", asked: [group("listed", "let-in")], allowed: true },
  {
    title: "a group that an operator let in, when groups were turned off",
    asked: [group("listed", "let-in")],
    policy: policyOf({ groups: "off" }),
    allowed: false,
  },
  { title: "a group that was taken off the list", asked: [group("listed", "g2")], allowed: false },
  {
    title: "a listed group when groups were turned off",
    asked: [group("listed")],
    policy: policyOf({ groups: "off" }),
    allowed: false,
  },
  { title: "a place the operator sends answers to", asked: [direct("revoked")], to: group("x", "g9"), allowed: true },
  { title: "the place of a webhook's answer after an approval", asked: [settled("ci")], allowed: true },
  { title: "a notice to a stranger", asked: [], to: direct("stranger"), allowed: true },
  { title: "an account that is not configured any more", asked: [direct("listed")], policy: "none", allowed: false },
];

describe("an answer on its way out", () => {
  for (const { title, asked, to = asked[0], policy = policyOf(), allowed } of rows) {
    it(`${allowed ? "goes" : "does not go"} to ${title}`, async () => {
      assert.ok(to);
      const pairing = {
        standingOf: async (_: unknown, user: UserId) => standings[user],
        isGroupAllowed: async (_: unknown, id: string) => id === "let-in",
      };
      const deps = { policyOf: () => (policy === "none" ? undefined : policy), pairing };
      assert.equal(await isStillAllowed(to.conversation, asked, deps), allowed);
    });
  }
});
