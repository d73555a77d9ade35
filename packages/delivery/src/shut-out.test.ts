import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type SessionKey, type StreamFrame, silentLog, type TurnId } from "@talaria/protocol";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const turnId = brandAs<TurnId>("turn");
const sessionKey = brandAs<SessionKey>("acct/a");
const reply = { kind: "reply", turnId, sessionKey } as const;

const store = useStore();

async function setUp() {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock);
  const door = { isOpen: true, fails: false, asked: 0 };
  const delivery = createDelivery({
    outbox: outbox.port,
    turns: { partial: async () => undefined },
    mayAnswer: async () => {
      door.asked += 1;
      if (door.fails) throw new GatewayError("the database is away", { code: "unavailable" });
      return door.isOpen;
    },
    clock,
    random: () => 0.5,
    log: silentLog,
    metrics: silentMetrics,
  });
  delivery.attach(platform, outbox.lease);
  let n = 0;
  const frame = async (step: { type: "started" } | { type: "delta"; offset: number; text: string }) => {
    const more = step.type === "started" ? { conversation: conversationOf("a") } : {};
    delivery.frame({ ...step, ...more, accountId, sessionKey, turnId, fence: 1, n } as StreamFrame);
    n += 1;
    await clock.advance(0);
  };
  const finish = async (ms = 1_000) => {
    await outbox.put("a", "the answer", reply);
    delivery.poke(accountId);
    await clock.advance(ms);
  };
  return { clock, outbox, platform, delivery, door, frame, finish };
}

describe("somebody who was shut out", () => {
  it("gets no answer, and the row says why", async () => {
    const { door, outbox, platform, finish } = await setUp();
    door.isOpen = false;
    await finish();
    assert.equal(platform.calls.length, 0);
    assert.deepEqual([(await outbox.rows())[0]?.state, (await outbox.rows())[0]?.error], ["failed", "not_allowed"]);
  });

  it("gets notices, which belong to no turn", async () => {
    const { clock, door, outbox, platform, delivery } = await setUp();
    door.isOpen = false;
    await outbox.put("a", "your code");
    delivery.poke(accountId);
    await clock.advance(1_000);
    assert.deepEqual(platform.shown("a"), ["your code"]);
  });

  it("sees nothing of an answer while it grows", async () => {
    const { clock, door, platform, frame } = await setUp();
    door.isOpen = false;
    await frame({ type: "started" });
    await frame({ type: "delta", offset: 0, text: "the secret is" });
    await clock.advance(10_000);
    assert.equal(platform.calls.length, 0);
  });

  it("sees no more of an answer than there was, and that is taken away", async () => {
    const { clock, door, platform, frame, finish } = await setUp();
    await frame({ type: "started" });
    await frame({ type: "delta", offset: 0, text: "one " });
    await clock.advance(4_000);
    assert.deepEqual(
      platform.shown("a"),
      ["one "].map((text) => text.trim()),
    );
    door.isOpen = false;
    await frame({ type: "delta", offset: 4, text: "two " });
    await clock.advance(4_000);
    const edits = platform.count("edit");
    for (let offset = 8; offset < 40; offset += 4) {
      await frame({ type: "delta", offset, text: "more" });
      await clock.advance(2_000);
    }
    assert.equal(platform.count("edit"), edits);
    await finish();
    assert.deepEqual(platform.shown("a"), []);
  });

  it("does not wait behind others, nor do others behind them", async () => {
    const { outbox, platform, door, finish } = await setUp();
    door.isOpen = false;
    await outbox.put("b", "for b");
    await outbox.put("a", "after it");
    await finish();
    assert.deepEqual([...platform.shown("a"), ...platform.shown("b")], ["after it", "for b"]);
  });
});

describe("while nobody can tell who may read", () => {
  it("an answer waits, and goes out once it can be told", async () => {
    const { clock, outbox, platform, door, finish } = await setUp();
    door.fails = true;
    await finish(5_000);
    assert.deepEqual([platform.calls.length, (await outbox.rows())[0]?.state], [0, "pending"]);
    door.fails = false;
    await clock.advance(5_000);
    assert.deepEqual(platform.shown("a"), ["the answer"]);
  });

  it("nothing is shown while it grows", async () => {
    const { clock, platform, door, frame } = await setUp();
    door.fails = true;
    await frame({ type: "started" });
    await frame({ type: "delta", offset: 0, text: "the secret is" });
    await clock.advance(10_000);
    assert.equal(platform.calls.length, 0);
  });
});
