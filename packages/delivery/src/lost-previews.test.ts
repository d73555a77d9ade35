import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type SessionKey, type StreamFrame, silentLog, type TurnId } from "@talaria/protocol";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const turnId = brandAs<TurnId>("turn");
const sessionKey = brandAs<SessionKey>("acct/a");
const store = useStore();

/** A reply to conversation `a` that grows, and how its final text is sent. */
async function setUp(has: { readonly finds?: boolean } = {}) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, {}, has);
  const turns = { partial: async () => undefined };
  const own = { turns, clock, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  const delivery = createDelivery({ ...own, outbox: outbox.port });
  delivery.attach(platform, outbox.lease);
  const grow = async () => {
    const head = { accountId, sessionKey, turnId, fence: 1 };
    const frames: readonly StreamFrame[] = [
      { ...head, n: 0, type: "started", conversation: conversationOf("a") },
      { ...head, n: 1, type: "delta", offset: 0, text: "growing" },
    ];
    for (const frame of frames) {
      delivery.frame(frame);
      await clock.advance(0);
    }
  };
  const finish = async () => {
    await outbox.put("a", "final", { kind: "reply", turnId, sessionKey });
    delivery.poke(accountId);
    await clock.advance(100);
  };
  return { clock, outbox, platform, delivery, grow, finish };
}

describe("a preview of which nobody knows whether it was posted", () => {
  describe("on a platform that can be asked what was sent", () => {
    const lost = (platform: TestPlatform, outcome: "lost-after" | "lost-before") => {
      platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? outcome : "ok");
    };

    it("is found, and becomes the final text", async () => {
      const { platform, outbox, grow, finish } = await setUp({ finds: true });
      lost(platform, "lost-after");
      await grow();
      await finish();
      assert.deepEqual(platform.shown("a"), ["final"]);
      assert.equal((await outbox.rows())[0]?.parts?.[0]?.unknown, 0);
    });

    it("is not waited for where it is not there", async () => {
      const { platform, grow, finish } = await setUp({ finds: true });
      lost(platform, "lost-before");
      await grow();
      await finish();
      assert.deepEqual(platform.shown("a"), ["final"]);
    });

    it("is found by the next gateway, also when asking fails at first", async () => {
      const { clock, platform, outbox, grow, delivery, finish } = await setUp({ finds: true });
      lost(platform, "lost-after");
      await grow();
      await delivery.detach(accountId, 0);
      platform.decide = (kind) => (kind === "find" && platform.count("find") < 3 ? "lost-before" : "ok");
      await finish();
      delivery.attach(platform, outbox.lease);
      await clock.advance(60_000);
      assert.deepEqual(platform.shown("a"), ["final"]);
    });

    it("is looked for once, and then the final text is, when nobody knows whether that was posted", async () => {
      const { clock, platform, outbox, grow, delivery, finish } = await setUp({ finds: true });
      lost(platform, "lost-before");
      await grow();
      platform.decide = (kind) => (kind === "send" ? "lost-after" : "ok");
      await finish();
      await delivery.detach(accountId, 0);
      platform.decide = () => "ok";
      delivery.attach(platform, outbox.lease);
      await clock.advance(60_000);
      assert.deepEqual([platform.shown("a"), platform.count("find")], [["final"], 2]);
    });
  });

  it("does not begin while posts of its account have unknown outcomes", async () => {
    const { clock, platform, outbox, delivery, grow } = await setUp();
    platform.decide = (kind, { conversationId }) => (conversationId === "b" && kind === "send" ? "lost-after" : "ok");
    await outbox.put("b", "other");
    delivery.poke(accountId);
    await clock.advance(100);
    await grow();
    await clock.advance(1_000);
    assert.deepEqual(platform.shown("a"), []);
    platform.decide = () => "ok";
    await outbox.put("c", "fine");
    delivery.poke(accountId);
    await clock.advance(3_000);
    assert.deepEqual(platform.shown("a"), ["growing"]);
  });
});
