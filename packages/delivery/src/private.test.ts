import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, silentLog, type UserId } from "@talaria/protocol";
import { english } from "@talaria/words";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, type Outcome, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const { deliveryNotices: notices } = english;

const privateTo = brandAs<UserId>("ada");

const store = useStore();

async function setUp(changes: CapabilityChanges = { privateTo: true }) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, changes);
  const turns = { partial: async () => undefined };
  const deps = { turns, clock, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  let delivery = createDelivery({ outbox: outbox.port, ...deps });
  delivery.attach(platform, outbox.lease);
  return {
    clock,
    outbox,
    platform,
    /** Texts for one person and, behind them, for all: whatever becomes of the first, the second goes out. */
    async deliver(...outcomes: readonly Outcome[]) {
      const waiting = [...outcomes];
      platform.decide = () => waiting.shift() ?? "ok";
      await outbox.put("a", "for ada", { privateTo });
      await outbox.put("a", "for everybody");
      delivery.poke(accountId);
      await clock.advance(120_000);
    },
    async takeOver() {
      void delivery.detach(accountId, 0);
      await clock.advance(0);
      await outbox.takeOver();
      delivery = createDelivery({ outbox: outbox.port, ...deps });
      delivery.attach(platform, outbox.lease);
      await clock.advance(120_000);
    },
    namedIn: () =>
      platform.calls.filter(({ kind }) => kind === "send").map(({ text, message }) => [text, message?.privateTo]),
    ends: async () => (await outbox.rows()).map(({ state, error }) => error ?? state),
  };
}

describe("a text for one person of a conversation", () => {
  it("names the person to the platform, and only that text does", async () => {
    const { deliver, namedIn, ends } = await setUp();
    await deliver();
    assert.deepEqual(namedIn(), [
      ["for ada", privateTo],
      ["for everybody", undefined],
    ]);
    assert.deepEqual(await ends(), ["sent", "sent"]);
  });

  it("goes to everybody where the platform can't show it to one alone", async () => {
    const { deliver, namedIn, ends } = await setUp({});
    await deliver("lost-after");
    assert.deepEqual(namedIn(), [
      ["for ada", undefined],
      [`${notices.sentAgain}\n\nfor ada`, undefined],
      ["for everybody", undefined],
    ]);
    assert.deepEqual(await ends(), ["sent", "sent"]);
  });

  for (const outcome of ["lost-before", "lost-after"] as const)
    it(`is not repeated when nobody knows what became of it (${outcome})`, async () => {
      const { deliver, platform, ends } = await setUp();
      await deliver(outcome);
      assert.deepEqual(await ends(), ["unknown_outcome", "sent"]);
      assert.equal(platform.shown("a").filter((text) => text === "for ada").length, outcome === "lost-after" ? 1 : 0);
    });

  it("is not repeated after a crash between the call and its record", async () => {
    const { deliver, takeOver, platform, ends } = await setUp();
    await deliver("hang-after");
    assert.deepEqual(await ends(), ["pending", "pending"]);
    await takeOver();
    assert.deepEqual(await ends(), ["unknown_outcome", "sent"]);
    assert.deepEqual(platform.shown("a"), ["for ada", "for everybody"]);
  });

  it("is tried again after a refusal that had no effect", async () => {
    const { deliver, platform, ends } = await setUp();
    const busy = new GatewayError("busy", { code: "unavailable", effect: "none" });
    await deliver(new GatewayError("slow", { code: "rate_limited", retryAfterMs: 1_000 }), busy);
    assert.deepEqual(await ends(), ["sent", "sent"]);
    assert.deepEqual(platform.shown("a"), ["for ada", "for everybody"]);
  });
});
