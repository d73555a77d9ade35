import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, silentLog } from "@talaria/protocol";
import { afterFailure } from "./after-failure.ts";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const store = useStore();
const minuteMs = 60_000;
const refused = new GatewayError("refused", {
  code: "unavailable",
  effect: "none",
  details: { network: "ECONNREFUSED" },
});

async function setUp(capabilities: CapabilityChanges = {}) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, capabilities);
  const turns = { partial: async () => undefined };
  const own = { turns, clock, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  const delivery = createDelivery({ ...own, outbox: outbox.port });
  delivery.attach(platform, outbox.lease);
  const start = clock.now();
  const put = async (name: string) => {
    await outbox.put(name, `text ${name}`);
    delivery.poke(accountId);
  };
  const sentAt = (name: string) => {
    const call = platform.calls.findLast(({ kind, conversation }) => kind === "send" && conversation === name);
    return (call?.at ?? 0) - start;
  };
  return { put, sentAt, start, clock, outbox, platform, delivery };
}

describe("an outage in which connections are refused", () => {
  it("is over for all that wait as soon as one text gets through", async () => {
    const { put, start, clock, platform } = await setUp();
    platform.decide = () => (clock.now() < start + 2 * minuteMs ? refused : "ok");
    const names = Array.from({ length: 12 }, (_, n) => `c${n}`);
    for (const name of names) {
      await put(name);
      await clock.advance(7_000);
    }
    await clock.advance(start + 2 * minuteMs - clock.now());
    await put("last");
    await clock.advance(2_000);
    for (const name of [...names, "last"]) assert.deepEqual(platform.shown(name), [`text ${name}`]);
  });

  it("is over for them in the pace that the account has", async () => {
    const { put, start, clock, platform } = await setUp({ accountPace: { burst: 1, refillMs: 1_000 } });
    platform.decide = () => (clock.now() < start + 2 * minuteMs ? refused : "ok");
    for (let n = 0; n < 8; n += 1) await put(`c${n}`);
    await clock.advance(2 * minuteMs);
    const before = platform.count("send");
    await put("last");
    await clock.advance(4_500);
    assert.ok(platform.count("send") - before <= 6, `${platform.count("send") - before} posts in 4.5 s`);
    await clock.advance(10_000);
    for (let n = 0; n < 8; n += 1) assert.equal(platform.shown(`c${n}`).length, 1);
  });

  it("leaves a text alone for as long as the platform asked", async () => {
    const { put, sentAt, clock, platform } = await setUp();
    const asked = new GatewayError("busy", { code: "unavailable", effect: "none", retryAfterMs: 50_000 });
    platform.decide = (_, { conversationId }) =>
      conversationId === "a" && platform.count("send") === 1 ? asked : "ok";
    await put("a");
    await clock.advance(1_000);
    await put("b");
    await clock.advance(60_000);
    assert.ok(sentAt("a") >= 50_000, `sent after ${sentAt("a")} ms`);
  });

  it("that is one conversation's alone is not tried with each message of the others", async () => {
    const { put, clock, platform } = await setUp();
    platform.decide = (_, { conversationId }) => (conversationId === "a" ? refused : "ok");
    await put("a");
    for (let n = 0; n < 60; n += 1) {
      await put("b");
      await clock.advance(10_000);
    }
    const tried = platform.calls.filter(({ kind, conversation }) => kind === "send" && conversation === "a").length;
    assert.ok(tried <= 22, `${tried} attempts in ten minutes`);
  });
});

describe("an account whose token is refused", () => {
  const unauthorized = new GatewayError("no such token", { code: "unauthorized" });

  it("keeps its texts until it is connected with a token that works, and sends each once and in order", async () => {
    const { put, clock, platform, delivery } = await setUp();
    platform.decide = () => unauthorized;
    for (const name of ["a", "b", "a"]) await put(name);
    await clock.advance(10 * minuteMs);
    platform.decide = () => "ok";
    const before = platform.count("send");
    delivery.connected(accountId);
    await clock.advance(1_000);
    assert.equal(platform.count("send"), before + 3);
    assert.deepEqual([platform.shown("a"), platform.shown("b")], [["text a", "text a"], ["text b"]]);
  });

  it("gives a text up after a day", () => {
    const part = { markdown: "a", attachments: [], state: "pending", attempts: 40, unknown: 0 } as const;
    const call = { part, wasEdit: false, wasFind: false, recognises: false };
    const decide = (ageMs: number) => afterFailure(unauthorized, { ...call, ageMs }, () => 0.5);
    assert.equal(decide(24 * 60 * minuteMs).kind, "retry");
    assert.deepEqual(decide(24 * 60 * minuteMs + 1), { kind: "give-up", reason: "unauthorized" });
  });
});
