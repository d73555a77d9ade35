import assert from "node:assert/strict";
import { it } from "node:test";
import {
  brandAs,
  type ConversationId,
  instantOf,
  type SessionKey,
  silentLog,
  type TurnId,
  type UserId,
} from "@talaria/protocol";
import { unaskedPause } from "@talaria/sessions";
import type { OpenCall } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { english } from "@talaria/words";
import { startCallExpiry } from "./call-expiry.ts";

const { callNotices } = english;

const { conversation } = messageFrom({ text: "deploy" });

function overdue(id: string): OpenCall {
  const at = instantOf(0);
  const asked = { name: "deploy", arguments: "{}", waitsFor: "approval", shown: "Deploy?", askers: [] } as const;
  const places = { sessionKey: brandAs<SessionKey>(`of-${id}`), turnId: brandAs<TurnId>(id), route: conversation };
  return { id, callId: id, ...asked, ...places, askedAt: at, expiresAt: at, isOverdue: true };
}

it("settles every overdue call, also after one that can't be settled now", async () => {
  const woken: string[] = [];
  const told: (string | undefined)[] = [];
  const expiry = startCallExpiry({
    calls: {
      homes: async () => [],
      abandoned: async () => [],
      overdue: async () => ["a", "locked", "decided", "b"].map(overdue),
      settle: async ({ id }, notice) => {
        if (id === "locked") throw new Error("the session is locked");
        if (id === "decided") return false;
        told.push(notice?.markdown);
        return true;
      },
    },
    wake: (sessionKey) => woken.push(sessionKey),
    deliver: () => undefined,
    log: silentLog,
  });
  await expiry.stop();
  assert.deepEqual(woken, ["of-a", "of-b"]);
  assert.equal(told.filter((text) => text?.includes("Deploy?")).length, 2);
});

it("tells of what one turn has asked in one notice, whichever of it is settled first", async () => {
  const told = new Map<string | undefined, string | undefined>();
  const settled: string[] = [];
  const of = (id: string, turn: string) => ({ ...overdue(id), shown: `Deploy ${id}?`, turnId: brandAs<TurnId>(turn) });
  const many = Array.from({ length: 12 }, (_, n) => `m${n}`);
  const expiry = startCallExpiry({
    calls: {
      homes: async () => [],
      abandoned: async () => [],
      overdue: async () =>
        [of("locked", "t1"), of("b", "t1"), of("other", "t2"), of("c", "t1"), ...many.map((id) => of(id, "t3"))].map(
          (call) => ({ ...call, sessionKey: brandAs<SessionKey>("s") }),
        ),
      settle: async ({ id }, notice) => {
        if (id === "locked") throw new Error("the session is locked");
        settled.push(id);
        if (!told.has(notice?.deliveryKey)) told.set(notice?.deliveryKey, notice?.markdown);
        return true;
      },
    },
    wake: () => undefined,
    deliver: () => undefined,
    log: silentLog,
  });
  await expiry.stop();
  assert.deepEqual(settled, ["b", "c", "other", ...many]);
  const [list, one, long, ...others] = told.values();
  const lines = "- Deploy locked?\n- Deploy b?\n- Deploy c?";
  assert.equal(list, `Nobody has decided in time, so I didn't do these 3 things:\n\n${lines}`);
  assert.equal(one, "Nobody has decided in time, so I didn't do this: Deploy other?");
  assert.match(long ?? "", /these 12 things:\n\n(?:- Deploy m\d\?\n){10}\nAnd 2 more\.$/);
  assert.deepEqual(others, []);
});

it("tells the owner at home what nobody has decided on their behalf", async () => {
  const home = {
    userId: brandAs<UserId>("1"),
    conversation: { ...conversation, conversationId: brandAs<ConversationId>("home") },
  };
  const mandate = { owner: `${conversation.platform}:user:1`, toolsets: ["web"] };
  const sender = {
    userId: brandAs<UserId>("ci"),
    role: "system",
    displayName: "ci",
    assurance: "signed",
    mandate,
  } as const;
  const told: unknown[] = [];
  const expiry = startCallExpiry({
    calls: {
      homes: async () => [home],
      abandoned: async () => [],
      overdue: async () => [{ ...overdue("a"), askers: [{ sender, role: "owner" }] }],
      settle: async (_, notice) => told.push(notice?.conversation.conversationId) > 0,
    },
    wake: () => undefined,
    deliver: () => undefined,
    log: silentLog,
  });
  await expiry.stop();
  assert.deepEqual(told, ["home"]);
});

it("tells of a process whose worker is gone at two looks in a row, also after one that can't be settled now", async (t) => {
  const woken: string[] = [];
  const settled: unknown[] = [];
  t.mock.timers.enable({ apis: ["setInterval"] });
  const expiry = startCallExpiry({
    calls: {
      homes: async () => [],
      overdue: async () => [],
      abandoned: async () =>
        (["locked", "a", "form"] as const).map((id) => {
          const waitsFor = id === "form" ? "form" : "process";
          return { ...overdue(id), waitsFor, shown: "p1  running  npm start" };
        }),
      settle: async ({ id, ...decision }, notice) => {
        if (id === "locked") throw new Error("the session is locked");
        settled.push(decision, notice?.markdown);
        return true;
      },
    },
    wake: (sessionKey) => woken.push(sessionKey),
    deliver: () => undefined,
    log: silentLog,
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(settled, [], "after an outage of the database all leases have run out");
  t.mock.timers.tick(10_000);
  await expiry.stop();
  assert.deepEqual(woken, ["of-a", "of-form"]);
  const content = "It is gone with the worker that ran it, and how far it came is not known: p1  npm start";
  const closed = { sessionKey: "of-form", settlement: "cancelled" };
  assert.deepEqual(settled, [
    { sessionKey: "of-a", settlement: "answered", content, pause: unaskedPause },
    undefined,
    closed,
    callNotices.voidQuestion,
  ]);
});
