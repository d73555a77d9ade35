import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Capabilities } from "@talaria/adapter";
import { brandAs, GatewayError, type MediaRef, type MessageId, silentLog } from "@talaria/protocol";
import { english } from "@talaria/words";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, conversationOf, type Outcome, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const { deliveryNotices: notices } = english;

const store = useStore();

async function setUp(capabilities: Partial<Capabilities> = {}) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, capabilities);
  const turns = { partial: async () => undefined };
  const delivery = createDelivery({
    outbox: outbox.port,
    turns,
    clock,
    random: () => 0.5,
    log: silentLog,
    metrics: silentMetrics,
  });
  const run = async (ms: number) => {
    delivery.attach(platform, outbox.lease);
    await clock.advance(ms);
  };
  return { clock, outbox, platform, delivery, run };
}

const rateLimited = (retryAfterMs: number, scope = "conversation") =>
  new GatewayError("slow down", { code: "rate_limited", retryAfterMs, details: { scope } });

describe("delivery", () => {
  it("sends each conversation's texts in order and lets no conversation wait for another", async () => {
    const { outbox, platform, run } = await setUp();
    for (let n = 0; n < 100; n += 1) await outbox.put("busy", `busy ${n}`);
    for (const name of ["a", "b", "c"]) await outbox.put(name, name);
    await run(50);
    assert.deepEqual([...platform.shown("a"), ...platform.shown("b"), ...platform.shown("c")], ["a", "b", "c"]);
    assert.ok(platform.shown("busy").length < 10);
  });

  it("keeps the platform's pace and sends everything", async () => {
    const { outbox, platform, run } = await setUp({ conversationPace: { burst: 2, refillMs: 1_000 } });
    for (let n = 0; n < 6; n += 1) await outbox.put("a", `text ${n}`);
    await run(10_000);
    assert.deepEqual(
      platform.shown("a"),
      Array.from({ length: 6 }, (_, n) => `text ${n}`),
    );
    const times = platform.calls.map(({ at }) => at - (platform.calls[0]?.at ?? 0));
    assert.ok(
      times.every((time, n) => time >= Math.max(0, n - 1) * 1_000),
      String(times),
    );
  });

  it("keeps the pace that the whole account has", async () => {
    const { clock, outbox, platform, run } = await setUp({ accountPace: { burst: 2, refillMs: 1_000 } });
    for (const name of ["a", "b", "c", "d", "e"]) await outbox.put(name, name);
    await run(500);
    assert.equal(platform.count("send"), 2);
    await clock.advance(1_000);
    assert.equal(platform.count("send"), 3);
    await clock.advance(10_000);
    assert.equal(platform.count("send"), 5);
  });

  it("stores the intent before each call, and each result with the next intent in one update", async () => {
    const { outbox, platform, run } = await setUp();
    await outbox.put("a", `${"one ".repeat(20)}\n\n${"two ".repeat(20)}\n\n${"end ".repeat(20)}`);
    await run(1_000);
    assert.equal(platform.shown("a").length, 3);
    const states = outbox.updates.map(({ state, parts }) => [state, ...parts.map((part) => part.state)].join(" "));
    assert.deepEqual(states, [
      "pending sending pending pending",
      "pending sent sending pending",
      "pending sent sent sending",
      "sent sent sent sent",
    ]);
  });

  it("derives the keys of parts, answers only with the first and attaches only to the last", async () => {
    const { outbox, platform, run } = await setUp();
    const attachments = [{ mimeType: "image/png", name: "a.png", ref: brandAs<MediaRef>("r") }];
    await outbox.put("a", `${"one ".repeat(20)}\n\n${"two ".repeat(20)}`, {
      attachments,
      replyTo: brandAs<MessageId>("m0"),
    });
    await run(1_000);
    const sent = platform.calls.map(({ message }) => message);
    assert.deepEqual(
      sent.map((message) => [message?.deliveryKey, message?.replyTo, message?.attachments.length]),
      [
        ["key-1#0", "m0", 0],
        ["key-1#1", undefined, 1],
      ],
    );
  });

  it("makes no call into a closed window, and counts a rate limit as no attempt", async () => {
    const { outbox, platform, run, clock } = await setUp();
    const start = clock.now();
    platform.decide = () => (clock.now() < start + 300_000 ? rateLimited(300_000 - (clock.now() - start)) : "ok");
    for (let n = 0; n < 3; n += 1) await outbox.put("a", `text ${n}`);
    await run(310_000);
    assert.deepEqual(platform.shown("a"), ["text 0", "text 1", "text 2"]);
    assert.equal(platform.calls.filter(({ at }) => at < start + 300_000).length, 1);
    assert.equal((await outbox.rows())[0]?.parts?.[0]?.attempts, 1);
  });

  it("closes the whole account when the platform says so", async () => {
    const { outbox, platform, run, clock } = await setUp();
    const start = clock.now();
    platform.decide = () =>
      clock.now() === start && platform.count("send") === 1 ? rateLimited(60_000, "account") : "ok";
    await outbox.put("a", "one");
    await run(10);
    await outbox.put("b", "two");
    await clock.advance(70_000);
    assert.ok(platform.calls.slice(1).every(({ at }) => at >= start + 60_000));
    assert.deepEqual([...platform.shown("a"), ...platform.shown("b")].toSorted(), ["one", "two"]);
  });

  it("retries what surely had no effect for a day, then gives it up", async () => {
    const { outbox, platform, run, clock } = await setUp();
    platform.decide = () => new GatewayError("busy", { code: "unavailable", effect: "none" });
    await outbox.put("a", "text");
    await run(1_000);
    await outbox.skip(23 * 3_600_000);
    await clock.advance(10_000);
    assert.equal((await outbox.rows())[0]?.state, "pending");
    assert.ok(platform.count("send") >= 3);
    await outbox.skip(2 * 3_600_000);
    await clock.advance(10_000);
    assert.deepEqual([(await outbox.rows())[0]?.state, (await outbox.rows())[0]?.error], ["failed", "unavailable"]);
  });

  it("gives up after a day what a platform puts off for ever, and never spins when told not to wait", async () => {
    for (const retryAfterMs of [0, Number.NaN, 2_000_000, Number.MAX_SAFE_INTEGER]) {
      const { outbox, platform, run, clock } = await setUp();
      platform.decide = () => rateLimited(retryAfterMs);
      await outbox.put("a", "text");
      await run(1_000);
      assert.ok(platform.count("send") <= 10, `${platform.count("send")} calls when told to wait ${retryAfterMs} ms`);
      if (!(retryAfterMs > 1_000_000)) continue;
      await outbox.skip(25 * 3_600_000);
      await clock.advance(10_000);
      assert.deepEqual([(await outbox.rows())[0]?.state, (await outbox.rows())[0]?.error], ["failed", "rate_limited"]);
    }
  });

  it("gives up a text for which the adapter throws, and goes on with the lane", async () => {
    const { outbox, platform, run } = await setUp();
    const measure = (markdown: string) => {
      if (markdown === "bad") throw new TypeError("not a node");
      return markdown.length;
    };
    Object.assign(platform, { measure });
    for (const text of ["bad", "good"]) await outbox.put("a", text);
    await run(1_000);
    assert.deepEqual([(await outbox.rows())[0]?.state, (await outbox.rows())[0]?.error], ["failed", "internal"]);
    assert.deepEqual(platform.shown("a"), ["good"]);
  });

  it("says so when nothing of a text can be shown, and leaves out parts of which nothing would be seen", async () => {
    const { outbox, platform, run } = await setUp({ maxTextLength: 20 });
    Object.assign(platform, { measure: (markdown: string) => (markdown.startsWith("[") ? 0 : markdown.length) });
    for (const [conversation, text] of [
      ["a", " \n\u00a0\n"],
      ["b", "[1]: http://one"],
      ["c", "seen and long enough\n\n[1]: http://one"],
    ] as const)
      await outbox.put(conversation, text);
    await run(1_000);
    for (const conversation of ["a", "b"])
      assert.match(platform.shown(conversation).join(), /^\(This message has no text/);
    assert.deepEqual(platform.shown("c"), ["seen and long enough"]);
    assert.deepEqual(
      (await outbox.rows()).map(({ state }) => state),
      ["sent", "sent", "sent"],
    );
  });

  it("does not let forty slow conversations hold up the others", async () => {
    const { outbox, platform, run } = await setUp({ conversationPace: { burst: 1, refillMs: 60_000 } });
    for (let slow = 0; slow < 40; slow += 1)
      for (let n = 0; n < 5; n += 1) await outbox.put(`slow ${slow}`, `text ${n}`);
    await outbox.put("quick", "text");
    await run(2_000);
    assert.deepEqual(platform.shown("quick"), ["text"]);
  });

  it("leaves a lane alone for a while when the store refuses its row, and the other lanes go on", async () => {
    const { outbox, platform, run } = await setUp();
    let writes = 0;
    const update = outbox.update.bind(outbox);
    outbox.update = async (lease, change) => {
      if (change.parts[0]?.markdown !== "text") return update(lease, change);
      writes += 1;
      throw new GatewayError("refused", { code: "internal" });
    };
    await outbox.put("a", "text");
    await outbox.put("b", "other");
    await run(20_500);
    assert.ok(writes >= 2 && writes <= 5, `${writes} writes`);
    assert.deepEqual([platform.shown("a"), platform.shown("b")], [[], ["other"]]);
  });

  it("gives up what can never work and goes on with the lane", async () => {
    const { outbox, platform, run } = await setUp();
    platform.decide = (_, __, text) => (text === "bad" ? new GatewayError("blocked", { code: "forbidden" }) : "ok");
    for (const text of ["bad", "good"]) await outbox.put("a", text);
    await run(1_000);
    assert.equal((await outbox.rows())[0]?.error, "forbidden");
    assert.deepEqual(platform.shown("a"), ["good"]);
  });

  it("splits once smaller what the platform finds too large", async () => {
    const { outbox, platform, run } = await setUp();
    platform.decide = (_, __, text) => (text.length > 60 ? new GatewayError("long", { code: "too_large" }) : "ok");
    await outbox.put("a", "word ".repeat(19).trim());
    await outbox.put("b", "x".repeat(90));
    await run(1_000);
    assert.equal(platform.shown("a").join(" "), "word ".repeat(19).trim());
    assert.equal(platform.shown("b").join(""), "x".repeat(90));
  });

  it("resends a call with an unknown outcome and marks it", async () => {
    const { outbox, platform, run } = await setUp();
    platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? "lost-after" : "ok");
    await outbox.put("a", "text");
    await run(20_000);
    assert.equal((await outbox.rows())[0]?.parts?.[0]?.unknown, 1);
    assert.deepEqual(
      [(await outbox.rows())[0]?.state, platform.shown("a")],
      ["sent", ["text", `${notices.sentAgain}\n\ntext`]],
    );
  });

  it("asks a platform that can tell whether the message arrived", async () => {
    const { outbox, platform, run } = await setUp();
    platform.decide = () => "lost-after";
    Object.assign(platform, {
      findSent: async (message: { conversation: unknown }) => {
        return { conversation: message.conversation, messageId: "m1", sentAt: "" };
      },
    });
    await outbox.put("a", "text");
    await run(20_000);
    assert.deepEqual(platform.shown("a"), ["text"]);
    assert.deepEqual([(await outbox.rows())[0]?.state, (await outbox.rows())[0]?.parts?.[0]?.unknown], ["sent", 0]);
  });

  it("stops silently when another gateway took the account", async () => {
    const { outbox, platform, run, clock, delivery } = await setUp();
    for (let n = 0; n < 5; n += 1) await outbox.put("a", `text ${n}`);
    platform.decide = async (): Promise<Outcome> => {
      await outbox.takeAway();
      return "ok";
    };
    await run(60_000);
    assert.equal(platform.count("send"), 1);
    await delivery.detach(accountId, 0);
    assert.equal(clock.waiting, 0);
  });

  it("asks the store no more once another gateway has the account", async () => {
    const { outbox, run, clock } = await setUp();
    await run(10);
    await outbox.takeAway();
    await clock.advance(10_000);
    assert.equal(clock.waiting, 0);
  });

  it("finds rows without a poke, and leaves no timer when it is detached", async () => {
    const { outbox, platform, run, clock, delivery } = await setUp();
    await run(10);
    await outbox.put("a", "late");
    await clock.advance(2_000);
    assert.deepEqual(platform.shown("a"), ["late"]);
    await delivery.idle();
    await delivery.detach(accountId, 1_000);
    assert.equal(clock.waiting, 0);
  });

  it("looks for lost pokes of all accounts with one statement, and reads an account only when it has something", async () => {
    const { outbox, platform, run, clock, delivery } = await setUp();
    const looks: number[] = [];
    const reads: string[] = [];
    const { toRead, due } = outbox.port;
    Object.assign(outbox.port, {
      toRead: (...[leases]: Parameters<typeof toRead>) => {
        looks.push(leases.length);
        return toRead(leases);
      },
      due: (...[lease, inFlight, limit]: Parameters<typeof due>) => {
        reads.push(lease.accountId);
        return due(lease, inFlight, limit);
      },
    });
    for (const name of ["other-1", "other-2"]) delivery.attach(platform, await outbox.otherLease(name));
    await run(10_000);
    assert.deepEqual([...new Set(looks)], [3]);
    assert.ok(looks.length >= 5 && looks.length <= 7, `${looks.length} statements`);
    assert.equal(reads.length, 3);
    await outbox.put("a", "late");
    await clock.advance(2_000);
    assert.deepEqual([platform.shown("a"), reads.slice(3)], [["late"], [accountId]]);
  });

  it("looks less often where nothing goes on, and as often as before once a message comes in", async () => {
    const { outbox, platform, run, clock, delivery } = await setUp();
    let looks = 0;
    const { toRead } = outbox.port;
    Object.assign(outbox.port, {
      toRead: (...[leases]: Parameters<typeof toRead>) => {
        looks += 1;
        return toRead(leases);
      },
    });
    await run(16_000);
    looks = 0;
    await clock.advance(60_000);
    assert.ok(looks >= 9 && looks <= 11, `${looks} statements in a minute`);
    await outbox.put("a", "late");
    await clock.advance(6_000);
    assert.deepEqual(platform.shown("a"), ["late"]);
    await clock.advance(1_000);
    delivery.seen({ conversation: conversationOf("a"), messageId: brandAs<MessageId>("m") });
    await outbox.put("a", "later");
    await clock.advance(2_000);
    assert.deepEqual(platform.shown("a"), ["late", "later"]);
  });

  it("waits for a call in flight when it is detached, but not for ever", async () => {
    const { outbox, platform, run, clock, delivery } = await setUp();
    platform.decide = () => "hang-after";
    await outbox.put("a", "text");
    await run(10);
    const detached = delivery.detach(accountId, 1_000);
    await clock.advance(1_000);
    await detached;
    assert.equal(clock.waiting, 0);
    assert.equal((await outbox.rows())[0]?.parts?.[0]?.state, "sending");
  });
});
