import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountPolicy, Role } from "@talaria/protocol";
import { messageFrom } from "@talaria/testkit";
import { type Authority, authorityOver } from "./authority.ts";
import { type CommandName, commands } from "./commands.ts";
import { policyWith } from "./testing/policy.ts";

const group = messageFrom({ kind: "group" });
const direct = messageFrom({});
const changing: readonly CommandName[] = ["new", "stop", "retry", "undo", "branch", "resume", "title", "compact"];
const harmless = (Object.keys(commands) as CommandName[]).filter((name) => !changing.includes(name));

describe("who may give a command", () => {
  const scope = (groups: AccountPolicy["sessions"]["groups"]) => policyWith({ sessions: { groups } });
  const rows: readonly (readonly [Role, typeof group, AccountPolicy, Authority])[] = [
    ["owner", group, scope("thread"), "allowed"],
    ["member", group, scope("conversation"), "allowed"],
    ["guest", group, scope("thread"), "asker"],
    ["guest", group, scope("conversation"), "asker"],
    ["guest", group, scope("sender"), "allowed"],
    ["guest", direct, scope("thread"), "allowed"],
    ["unverified", group, scope("sender"), "refused"],
    ["unverified", direct, scope("thread"), "refused"],
  ];
  for (const [role, event, policy, authority] of rows) {
    const { groups } = policy.sessions;
    it(`${role}, ${event.conversation.kind}, one session per ${groups}: ${authority}`, () => {
      for (const name of changing) assert.equal(authorityOver(name, event, role, policy), authority, name);
      for (const name of harmless) assert.equal(authorityOver(name, event, role, policy), "allowed", name);
    });
  }
});
