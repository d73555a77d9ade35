import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "@talaria/protocol";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const slow = { conversationPace: { burst: 2, refillMs: 60_000 } };
const questions = ["May I do 0?", "May I do 1?", "May I do 2?", "May I do 3?", "May I do 4?"];

const store = useStore();

async function setUp() {
  const outbox = await store.fresh();
  const platform = new TestPlatform(outbox.clock, slow);
  const turns = { partial: async () => undefined };
  const tools = { outbox: outbox.port, turns, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  const delivery = createDelivery({ ...tools, clock: outbox.clock });
  return { outbox, platform, begin: () => delivery.attach(platform, outbox.lease) };
}

describe("questions of a turn that somebody has stopped", () => {
  it("are not posted any more, and take no time of what is said after them", async () => {
    const { outbox, platform, begin } = await setUp();
    const stop = await outbox.askAll("stopped", questions);
    begin();
    await outbox.clock.advance(30_000);
    assert.deepEqual(platform.shown("stopped"), questions.slice(0, 2));
    await stop();
    await outbox.put("stopped", "Stopped.");
    await outbox.clock.advance(300_000);
    // The two that were asked are closed first, each for a token; the third had its turn already.
    const closed = questions.slice(0, 2).map((question) => `${question}\n\nStopped: this was not done.`);
    assert.deepEqual(platform.shown("stopped"), [...closed, "Stopped."]);
    assert.equal(await outbox.isPending(), false);
  });

  it("are not posted when they were made after it", async () => {
    const { outbox, platform, begin } = await setUp();
    await outbox.askAll("late", questions, true);
    begin();
    await outbox.clock.advance(10_000);
    assert.deepEqual(platform.shown("late"), []);
    assert.equal(await outbox.isPending(), false);
  });

  it("are not posted when the platform is back", async () => {
    const { outbox, platform, begin } = await setUp();
    platform.decide = () => "lost-before";
    const stop = await outbox.askAll("away", questions);
    begin();
    await outbox.clock.advance(1_500);
    await stop();
    platform.decide = () => "ok";
    await outbox.clock.advance(600_000);
    assert.deepEqual(platform.shown("away"), []);
    assert.equal(await outbox.isPending(), false);
  });
});
