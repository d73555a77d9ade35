import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type SessionKey, silentLog, type TurnId } from "@talaria/protocol";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const turnId = brandAs<TurnId>("turn");
const sessionKey = brandAs<SessionKey>("acct/a");
const reply = { kind: "reply", turnId, sessionKey } as const;

const store = useStore();

async function setUp(changes: CapabilityChanges = {}) {
  const outbox = await store.fresh();
  const platform = new TestPlatform(outbox.clock, changes);
  const withheld: TurnId[] = [];
  const turns = { partial: async () => undefined };
  const tools = { outbox: outbox.port, turns, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  const told = { withheld: (turn: TurnId) => void withheld.push(turn) };
  const delivery = createDelivery({ ...tools, ...told, clock: outbox.clock });
  const begin = () => delivery.attach(platform, outbox.lease);
  return { outbox, platform, withheld, delivery, begin };
}

describe("an answer that somebody has stopped before it was sent", () => {
  it("is not posted, and what is said after it is", async () => {
    const { outbox, platform, withheld, begin } = await setUp();
    await outbox.put("a", "The answer.", reply);
    await outbox.withhold(turnId);
    await outbox.put("a", "Stopped.");
    begin();
    await outbox.clock.advance(10_000);
    assert.deepEqual(platform.shown("a"), ["Stopped."]);
    assert.deepEqual([await outbox.isPending(), await outbox.count("withdrawn")], [false, 1]);
    assert.deepEqual(withheld, [turnId]);
  });

  it("is not posted by a gateway that had read it before", async () => {
    const { outbox, platform, withheld, begin } = await setUp({ conversationPace: { burst: 1, refillMs: 60_000 } });
    await outbox.put("a", "Before it.");
    await outbox.put("a", "The answer.", reply);
    begin();
    await outbox.clock.advance(1_000);
    await outbox.withhold(turnId);
    await outbox.put("a", "Stopped.");
    await outbox.clock.advance(300_000);
    assert.deepEqual(platform.shown("a"), ["Before it.", "Stopped."]);
    assert.deepEqual([await outbox.isPending(), await outbox.count("withdrawn")], [false, 1]);
    assert.deepEqual(withheld, [turnId]);
  });

  it("leaves nothing of what was shown of it", async () => {
    const { outbox, platform, delivery, begin } = await setUp();
    begin();
    const frame = { accountId, sessionKey, turnId, fence: 1 };
    delivery.frame({ ...frame, n: 0, type: "started", conversation: conversationOf("a") });
    delivery.frame({ ...frame, n: 1, type: "delta", offset: 0, text: "The ans" });
    await outbox.clock.advance(1_000);
    assert.deepEqual(platform.shown("a"), ["The ans"]);
    await outbox.put("a", "The answer.", reply);
    await outbox.withhold(turnId);
    delivery.poke(accountId);
    await outbox.clock.advance(10_000);
    assert.deepEqual(platform.shown("a"), []);
    assert.equal(await outbox.preview(turnId), undefined);
    assert.equal(await outbox.isPending(), false);
  });
});
