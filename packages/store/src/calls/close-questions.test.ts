import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { brandAs, type DeliveryKey, type EventId, instantOf, type MessageId, type Sender } from "@talaria/protocol";
import type { Ask, Decision } from "../ports/calls.ts";
import type { SessionEffect } from "../ports/inbox.ts";
import type { AccountLease, OutboxRow } from "../ports/outbox.ts";
import {
  beginTurn,
  createTestStore,
  entryOf,
  eventOf,
  keyOf,
  newAccountLease,
  newWorker,
  type RunningTurn,
  type TestStore,
  textOf,
} from "../test-store.ts";

describe("messages that show a question", () => {
  let test: TestStore;
  let lease: AccountLease;
  before(async () => {
    test = await createTestStore();
    lease = await newAccountLease(test.store);
  });
  after(() => test[Symbol.asyncDispose]());

  const ann: Sender = { ...eventOf("ann", "x").sender, displayName: "Ann" };
  const due = async () => await test.store.outbox.due(lease, [], 100);
  const closings = async () => (await due()).filter(({ kind }) => kind === "closing");

  /** A call of a turn of `session` that waits, asked there and at a home, and both messages are sent. */
  async function asked(session: string, more: Partial<Ask> = {}): Promise<{ id: string; turn: RunningTurn }> {
    await test.store.inbox.record(entryOf(randomUUID(), session));
    const turn = await beginTurn(test.store, session, await newWorker(test.store));
    const id = randomUUID().slice(0, 8);
    const ask: Ask = {
      ...{ id, callId: "c:1", name: "pay", arguments: "{}", waitsFor: "approval", shown: "pay 3", approver: "owner" },
      ...{ askers: [{ sender: ann, role: "owner" }], expiresAt: instantOf(Date.now() + 3_600_000) },
      ...more,
    };
    const key = `ask:${turn.start.turnId}:${ask.callId}`;
    const choices = ["approve", "deny"].map((name) => ({ id: `${name}-${id}`, label: name }));
    const texts = [textOf(key, session, { choices }), textOf(`${key}:acct:home`, `home of ${session}`, { choices })];
    await test.store.turns.append(turn.lease, turn.start.turnId, [], [{ ask, texts }]);
    for (const row of await due()) if (row.choices?.[0]?.id === `approve-${id}`) await sent(row);
    return { id, turn };
  }

  async function sent(row: OutboxRow): Promise<void> {
    const { id, markdown, attachments, choices = [], conversation } = row;
    const messageId = brandAs<MessageId>(`m-${conversation.conversationId}`);
    const part = { markdown, attachments, choices, messageId, state: "sent", attempts: 1, unknown: 0 } as const;
    await test.store.outbox.update(lease, { id, state: "sent", parts: [part] });
  }

  /** The closings that are due now for this session, with what their messages are to say, and away with them. */
  async function closed(session: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const { id, closes, conversation } of await closings()) {
      if (!conversation.conversationId.endsWith(session)) continue;
      const question = await test.store.outbox.question(brandAs<DeliveryKey>(closes ?? ""));
      const [{ settlement, by, isByRule, choice } = { settlement: undefined }] = question?.outcomes ?? [];
      found.push(
        [question?.messageId, settlement, isByRule ? "by rule" : by, choice]
          .filter((one) => one !== undefined)
          .join(" "),
      );
      await test.store.outbox.update(lease, { id, state: "sent", parts: [] });
    }
    return found;
  }

  const decide = (session: string, id: string, decision: Partial<Decision>) =>
    test.store.calls.settle({ id, sessionKey: keyOf(session), settlement: "approved", ...decision });
  const command = (session: string, kind: "stop" | "reset") =>
    test.store.inbox.settle({
      ...{ event: eventOf(randomUUID(), session), outcome: "command", reason: `command:${kind}` },
      effect: { kind, sessionKey: keyOf(session) } satisfies SessionEffect,
    });

  it("are closed wherever it stands, and say who decided, once", async () => {
    const { id } = await asked("approved");
    assert.deepEqual(await closed("approved"), []);
    assert.equal(await decide("approved", id, { by: ann }), true);
    assert.equal(await decide("approved", id, { by: ann, settlement: "denied" }), false);
    assert.deepEqual(await closed("approved"), ["m-approved approved Ann", "m-home of approved approved Ann"]);
    assert.deepEqual(await closed("approved"), []);
  });

  it("are closed when it expires, and when its turn or conversation is ended", async () => {
    const late = await asked("late", { expiresAt: instantOf(Date.now() - 1) });
    await decide("late", late.id, { settlement: "expired" });
    assert.deepEqual(await closed("late"), ["m-late expired", "m-home of late expired"]);
    for (const kind of ["stop", "reset"] as const) {
      await asked(kind);
      await command(kind, kind);
      assert.deepEqual(await closed(kind), [`m-${kind} cancelled`, `m-home of ${kind} cancelled`]);
    }
    const { turn } = await asked("timed out");
    const end = { turnId: turn.start.turnId, outcome: "aborted", entries: [], outbox: [] } as const;
    await test.store.turns.commit(turn.lease, end);
    assert.deepEqual(await closed("timed out"), ["m-timed out cancelled", "m-home of timed out cancelled"]);
  });

  it("are closed when the operator's rules deny it by now, unless somebody was first or its time is over", async () => {
    const { calls, inbox } = test.store;
    const [{ id }, { id: approved }] = [await asked("forbidden"), await asked("approved before")];
    const { id: late } = await asked("forbidden late", { expiresAt: instantOf(Date.now() - 1) });
    const { id: form } = await asked("form", { waitsFor: "form" });
    await decide("approved before", approved, { by: ann });
    const forbid = (one: string, session: string) => calls.forbid({ id: one, sessionKey: keyOf(session) }, "Never.");
    const those = [
      [approved, "approved before"],
      [late, "forbidden late"],
      [form, "form"],
      [id, "another"],
    ] as const;
    for (const [one, session] of those) assert.equal(await forbid(one, session), false);
    assert.deepEqual(await Promise.all([forbid(id, "forbidden"), forbid(id, "forbidden")]), [true, false]);
    assert.equal(await decide("forbidden", id, { by: ann }), false);
    assert.deepEqual(await closed("forbidden"), ["m-forbidden denied by rule", "m-home of forbidden denied by rule"]);
    assert.deepEqual(await closed("approved before"), [
      "m-approved before approved Ann",
      "m-home of approved before approved Ann",
    ]);
    assert.equal((await calls.find(id))?.content, "Never.");
    assert.equal((await inbox.status(lease.accountId, brandAs<EventId>(`call:${id}`)))?.state, "waiting");
  });

  it("are changed once more when a call was approved and did not run, since the rules forbid it by now", async () => {
    const { calls, turns } = test.store;
    const [{ id, turn }, other] = [await asked("too late"), await asked("another session")];
    for (const [session, one] of [
      ["too late", id],
      ["another session", other.id],
    ] as const)
      await decide(session, one, { by: ann });
    assert.deepEqual(await closed("too late"), ["m-too late approved Ann", "m-home of too late approved Ann"]);
    await closed("another session");
    const result = (of: string) => ({ kind: "tool.result", callId: "c:1", forbidden: brandAs<EventId>(`call:${of}`) });
    for (const one of [id, id, other.id]) await turns.append(turn.lease, turn.start.turnId, [result(one)]);
    assert.deepEqual(await closed("too late"), ["m-too late denied by rule", "m-home of too late denied by rule"]);
    assert.deepEqual(await closed("another session"), [], "a worker changes what belongs to its own session");
    assert.deepEqual(
      [(await calls.find(id))?.settlement, (await calls.find(other.id))?.settlement],
      ["denied", "approved"],
    );
  });

  it("are closed when an asker's role is taken away", async () => {
    await asked("weakened");
    await test.store.rights.weaken({ accountId: lease.accountId, userId: ann.userId, role: "guest", lost: ["owner"] });
    assert.deepEqual(await closed("weakened"), ["m-weakened cancelled", "m-home of weakened cancelled"]);
  });

  it("wait for their question, and are not needed where it was never shown", async () => {
    const { store } = test;
    await store.inbox.record(entryOf("late shown", "pending"));
    const turn = await beginTurn(store, "pending", await newWorker(store));
    const key = `ask:${turn.start.turnId}:c1`;
    const choices = [{ id: "answer-0000abcd-1", label: "Blue" }];
    const ask: Ask = {
      ...{ id: "0000abcd", callId: "c1", name: "ask", arguments: "{}", waitsFor: "form", shown: "?" },
      ...{ askers: [{ sender: ann, role: "guest" }], expiresAt: instantOf(Date.now() + 3_600_000) },
    };
    await store.turns.append(
      turn.lease,
      turn.start.turnId,
      [],
      [{ ask, texts: [textOf(key, "pending", { choices })] }],
    );
    await decide("pending", "0000abcd", { settlement: "answered", by: ann, content: "Blue" });
    const [question, closing] = (await due()).filter((row) => row.conversation.conversationId === "pending");
    assert.deepEqual([question?.deliveryKey, closing?.closes], [key, key]);
    assert.equal(await store.outbox.question(brandAs<DeliveryKey>(key)), undefined);
    if (question !== undefined) await sent(question);
    assert.deepEqual(await closed("pending"), ["m-pending answered Ann Blue"]);
  });
});
