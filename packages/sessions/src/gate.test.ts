import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { GatewayError, instantOf } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { conversationFrom, sampleEvents } from "@talaria/testkit";
import { type Desk, useStore } from "./gate.fixture.ts";

describe("the gate on the real store", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  it("records a message, wakes its session, and knows it when it comes again", async () => {
    const event = desk.message({ text: "hello" });
    assert.equal(await desk.gate(event), "recorded");
    assert.equal(await desk.gate(structuredClone(event)), "duplicate");
    assert.deepEqual(desk.said, ["count recorded", "wake c1", "count duplicate"]);
    assert.deepEqual(await desk.waiting("c1"), ["hello"]);
  });

  describe("with a clock that is off", () => {
    const hourMs = 3_600_000;
    /** What was said so long ago, to a gateway whose clock was so far ahead of the database's when it came. */
    function hear(agoMs: number, aheadMs: number) {
      const times = {
        occurredAt: instantOf(Date.now() - agoMs),
        receivedAt: instantOf(Date.now() + aheadMs),
      };
      return desk.gate({ ...desk.message({ text: "hello" }), ...times });
    }

    for (const hours of [-100, -30, -2, 0, 2, 30, 100]) {
      it(`by ${hours} hours takes what was just said`, async () => {
        assert.equal(await hear(1_000, hours * hourMs), "recorded");
        assert.deepEqual(await desk.waiting("c1"), ["hello"]);
      });

      it(`by ${hours} hours knows what is old`, async () => {
        assert.equal(await hear(40 * hourMs, hours * hourMs), "dropped");
        assert.deepEqual(await desk.waiting("c1"), []);
      });
    }
  });

  it("commits what overlaps in the order of the calls", async () => {
    const texts = Array.from({ length: 100 }, (_, index) => `${index}`);
    const outcomes = await Promise.all(texts.map((text) => desk.gate(desk.message({ text }))));
    assert.deepEqual(new Set(outcomes), new Set(["recorded"]));
    assert.deepEqual(await desk.waiting("c1"), texts);
  });

  it("keeps the order when one of them has to ask whether its sender was approved", async () => {
    const slow = Promise.withResolvers<void>();
    const standingOf = async () => {
      await slow.promise;
      return "approved" as const;
    };
    const gate = desk.gateWith({ pairing: { ...test.store.pairing, standingOf } });
    const asks = gate(desk.message({ from: "u7", text: "first" }));
    const listed = gate(desk.message({ text: "second" }));
    slow.resolve();
    assert.deepEqual(await Promise.all([asks, listed]), ["recorded", "recorded"]);
    assert.deepEqual(await desk.waiting("c1"), ["first", "second"]);
  });

  it("does not let one conversation wait for another", async () => {
    const never = Promise.withResolvers<undefined>();
    const gate = desk.gateWith({ pairing: { ...test.store.pairing, standingOf: () => never.promise } });
    const stuck = gate(desk.message({ from: "u7", conversation: "stuck" }));
    assert.equal(await gate(desk.message({ conversation: "free" })), "recorded");
    never.resolve(undefined);
    assert.equal(await stuck, "dropped");
  });

  it("rejects what the store could not take and everything behind it, and takes it when it is delivered again", async () => {
    const away = new GatewayError("the database is away", { code: "unavailable" });
    let isAway = true;
    const record: Store["inbox"]["record"] = (entry) =>
      isAway ? Promise.reject(away) : test.store.inbox.record(entry);
    const gate = desk.gateWith({ inbox: { ...test.store.inbox, record } });
    const events = ["1", "2", "3"].map((text) => desk.message({ text }));
    const outcomes = await Promise.allSettled(events.map((event) => gate(event)));
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason),
      [away, away, away],
    );
    assert.deepEqual(desk.said, [], "nobody was woken and nothing was counted");
    isAway = false;
    for (const event of events) assert.equal(await gate(event), "recorded");
    assert.deepEqual(await desk.waiting("c1"), ["1", "2", "3"]);
  });

  it("stores nothing of our own words", async () => {
    const event = desk.message({ role: "self" });
    assert.equal(await desk.gate(event), "dropped");
    assert.deepEqual(desk.said, ["count echo"]);
    assert.equal(await test.store.inbox.status(desk.accountId, event.id), undefined);
  });

  it("remembers what it refused and why, and tells a stranger nothing", async () => {
    const event = desk.message({ kind: "group", conversation: "-5", mentionsSelf: true });
    assert.equal(await desk.gate(event), "dropped");
    assert.equal(await desk.gate(event), "duplicate");
    assert.deepEqual(desk.said, ["count refused group_not_allowed", "count duplicate"]);
    const status = await test.store.inbox.status(desk.accountId, event.id);
    assert.deepEqual([status?.state, status?.reason], ["refused", "group_not_allowed"]);
    assert.deepEqual(await desk.notices("-5"), []);
  });

  it("refuses the events of an account that is no longer configured", async () => {
    const gate = desk.gateWith({ policyOf: () => undefined });
    assert.equal(await gate(desk.message()), "dropped");
    assert.deepEqual(desk.said, ["count refused unknown_account"]);
  });

  it("tells a person once that a message is too long", async () => {
    const event = desk.message({ text: "x".repeat(1_001) });
    await desk.gate(event);
    await desk.gate(event);
    assert.deepEqual(desk.said, ["count refused too_long", "deliver", "count duplicate"]);
    assert.deepEqual(await desk.notices("c1"), [
      "Your message is too long: 1001 characters. I can read up to 1000. Please shorten or split it.",
    ]);
  });

  it("sends the answer elsewhere when it is told so", async () => {
    const elsewhere = conversationFrom({ account: desk.accountId, conversation: "elsewhere" });
    await desk.gate(desk.message(), { replyTo: elsewhere });
    const [pending] = await desk.pending("c1");
    assert.equal(pending?.route.conversationId, "elsewhere");
    assert.equal(pending?.event.conversation.conversationId, "c1");
  });

  it("records a pressed button as something for the agent", async () => {
    const [press] = sampleEvents({ account: desk.accountId }).filter(({ type }) => type === "action.invoked");
    assert.ok(press?.type === "action.invoked");
    assert.equal(await desk.gate({ ...press, actionId: "yes", label: "Yes" }), "recorded");
    const [pending] = await desk.pending("c1");
    assert.deepEqual(pending?.event.type === "action.invoked" && [pending.event.actionId, pending.event.label], [
      "yes",
      "Yes",
    ]);
  });

  it("defers what it is told to, and what waits for its attachments", async () => {
    const gate = desk.gateWith({ mediaDeferMs: ({ type }) => (type === "message.created" ? 30_000 : undefined) });
    await desk.gate(desk.message({ conversation: "c1" }), { defer: { key: "burst", ms: 5_000 } });
    await gate(desk.message({ conversation: "c2" }));
    assert.deepEqual(desk.said, ["count recorded", "wake c1 in 5000", "count recorded", "wake c2 in 30000"]);
    assert.deepEqual([...(await desk.pending("c1")), ...(await desk.pending("c2"))], []);
  });
});
