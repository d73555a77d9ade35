import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type MediaRef, silentLog, type TurnId } from "@talaria/protocol";
import { english } from "@talaria/words";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type Call, type CapabilityChanges, type Outcome, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const { deliveryNotices: notices } = english;

const store = useStore();
const minuteMs = 60_000;
const againA = `${notices.sentAgain}\n\ntext a`;

async function setUp(capabilities: CapabilityChanges = {}, has: { readonly finds?: boolean } = {}) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, capabilities, has);
  const turns = { partial: async () => undefined };
  const own = { turns, clock, random: () => 0.5, log: silentLog, metrics: silentMetrics };
  const delivery = createDelivery({ ...own, outbox: outbox.port });
  const start = clock.now();
  /** Calls of these kinds have this outcome for so long. */
  const fail = (outcome: Outcome, forMs: number, kinds: readonly Call["kind"][] = ["send", "edit", "typing"]) => {
    platform.decide = (kind) => (kinds.includes(kind) && clock.now() < start + forMs ? outcome : "ok");
  };
  delivery.attach(platform, outbox.lease);
  const put = async (name: string) => {
    await outbox.put(name, `text ${name}`);
    delivery.poke(accountId);
  };
  return { put, clock, outbox, platform, delivery, fail };
}

describe("an outage of a platform", () => {
  for (const forMs of [10_000, minuteMs, 60 * minuteMs, 10 * 60 * minuteMs])
    for (const outcome of ["lost-before", "lost-after"] as const)
      it(`of ${forMs / 1_000} s loses nothing and doubles nothing more than once (${outcome})`, async () => {
        const { put, clock, outbox, platform, fail } = await setUp();
        fail(outcome, forMs);
        for (const name of ["a", "b", "c"]) await put(name);
        if (forMs > 60 * minuteMs) await outbox.skip(forMs - 60 * minuteMs);
        await clock.advance(Math.min(forMs, 60 * minuteMs));
        for (const name of ["a", "b", "c"]) assert.ok(platform.shown(name).length <= 1);
        await clock.advance(6 * minuteMs);
        for (const name of ["a", "b", "c"]) {
          const again = `${notices.sentAgain}\n\ntext ${name}`;
          assert.deepEqual(platform.shown(name), outcome === "lost-after" ? [`text ${name}`, again] : [again]);
        }
        assert.ok((await outbox.rows()).every(({ state }) => state === "sent"));
      });

  it("ends for reading too, with the first cheap call or text that goes through", async () => {
    const { put, clock, platform, fail } = await setUp();
    fail("lost-before", 10_000);
    await put("a");
    await clock.advance(9_000);
    assert.ok(platform.count("send") > 0);
    assert.deepEqual(platform.reachedAfter, []);
    await clock.advance(minuteMs);
    const [typed, posted] = platform.reachedAfter.map((count) => platform.calls[count - 1]?.kind);
    assert.deepEqual([typed, posted], ["typing", "send"]);
  });

  it("of posts alone loses nothing either, and ends for all with the first that is posted", async () => {
    const { put, clock, platform, fail } = await setUp();
    fail("lost-before", minuteMs, ["send"]);
    for (const name of ["a", "b", "c"]) await put(name);
    await clock.advance(minuteMs);
    assert.ok(platform.count("send") <= 9, `${platform.count("send")} posts`);
    await put("d");
    await clock.advance(2_000);
    const shown = ["a", "b", "c", "d"].filter((name) => platform.shown(name).length === 1);
    assert.ok(shown.length >= 2, `${shown} are there`);
    await clock.advance(10 * minuteMs);
    for (const name of ["a", "b", "c", "d"]) assert.equal(platform.shown(name).length, 1, name);
  });

  it("is over for a text that waits when another conversation's is posted", async () => {
    const { put, clock, platform } = await setUp({ typing: undefined });
    platform.decide = (_, { conversationId }) =>
      conversationId === "a" && platform.count("send") === 1 ? "lost-before" : "ok";
    await put("a");
    await clock.advance(100);
    await put("b");
    await clock.advance(2_000);
    assert.deepEqual([platform.shown("a"), platform.shown("b")], [[againA], ["text b"]]);
  });

  it("is waited for by the gateway that takes over, which learns of its end from the first post", async () => {
    const { put, clock, outbox, platform, delivery, fail } = await setUp();
    fail("lost-before", 10 * minuteMs);
    await put("a");
    await clock.advance(minuteMs);
    await delivery.detach(accountId, 0);
    delivery.attach(platform, await outbox.takeOver());
    await clock.advance(9 * minuteMs);
    assert.equal(platform.count("send"), 1, "nothing is posted while the platform does not answer");
    await put("b");
    await clock.advance(2_000);
    assert.deepEqual([platform.shown("a"), platform.shown("b")], [[againA], ["text b"]]);
  });

  it("is not asked every second whether a text has arrived", async () => {
    const { put, clock, platform, fail } = await setUp({}, { finds: true });
    fail("lost-after", 10 * minuteMs, ["send", "edit", "typing", "find"]);
    for (const name of ["a", "b", "c"]) await put(name);
    await clock.advance(20 * minuteMs);
    assert.ok(platform.count("find") <= 45, `${platform.count("find")} questions`);
    for (const name of ["a", "b", "c"]) assert.deepEqual(platform.shown(name), [`text ${name}`]);
  });

  it("gives each text a turn before one is sent again once more", async () => {
    const { put, clock, platform, fail } = await setUp({ typing: undefined });
    fail("lost-after", 10 * minuteMs);
    const names = Array.from({ length: 20 }, (_, n) => `c${n}`);
    for (const name of names) await put(name);
    await clock.advance(20 * minuteMs);
    for (const name of names) assert.ok(platform.shown(name).length <= 3, `${platform.shown(name).length} of ${name}`);
  });

  it("keeps nobody else waiting while one call hangs", async () => {
    const { put, clock, platform } = await setUp();
    platform.decide = (_, { conversationId }) => (conversationId === "a" ? "hang-before" : "ok");
    await put("a");
    for (let n = 0; n < 5; n += 1) {
      await put("b");
      await clock.advance(30_000);
    }
    assert.equal(platform.shown("b").length, 5);
  });

  it("is not taken for one when an adapter makes a mistake", async () => {
    const { put, clock, outbox, platform } = await setUp();
    platform.decide = () => new GatewayError("oops", { code: "internal" });
    await put("a");
    await clock.advance(minuteMs);
    assert.deepEqual([platform.count("send"), (await outbox.rows())[0]?.error], [2, "unknown_outcome"]);
  });

  it("that does not end for one message ends in giving it up", async () => {
    const { put, clock, outbox, platform } = await setUp();
    platform.decide = (kind, { conversationId }) => (conversationId === "a" && kind === "send" ? "lost-before" : "ok");
    await put("a");
    await clock.advance(60 * minuteMs);
    assert.deepEqual([platform.count("send"), (await outbox.rows())[0]?.error], [6, "unknown_outcome"]);
  });
});

describe("an answer that is given up", () => {
  const blocked = new GatewayError("blocked", { code: "forbidden" });
  const odd = new GatewayError("odd", { code: "invalid_request" });
  const choices = [{ id: "yes", label: "Yes" }];

  for (const [what, text, error, told] of [
    ["is told where it was expected", { kind: "reply" }, odd, [notices.undelivered]],
    ["is told as well when it is a question", { choices }, odd, [notices.undelivered]],
    ["is not told to those who have blocked us", { kind: "reply" }, blocked, []],
    ["is not told when nobody waits for it", {}, odd, []],
  ] as const)
    it(what, async () => {
      const { clock, outbox, platform } = await setUp();
      platform.decide = (_, __, words) => (words.startsWith("the answer") ? error : "ok");
      await outbox.put("a", "the answer", { ...text, ...("kind" in text ? { turnId: brandAs<TurnId>("t") } : {}) });
      await clock.advance(minuteMs);
      assert.deepEqual(
        platform.shown("a"),
        told.map((words) => words),
      );
      const states = (await outbox.rows()).map(({ state }) => state);
      assert.deepEqual(states, ["failed", ...told.map(() => "sent")]);
    });

  it("is told after a day in which it could not be sent", async () => {
    const { clock, outbox, platform } = await setUp();
    const busy = new GatewayError("busy", { code: "unavailable", effect: "none" });
    platform.decide = (_, __, words) => (words === "the answer" ? busy : "ok");
    await outbox.put("a", "the answer", { kind: "reply", turnId: brandAs<TurnId>("t") });
    await clock.advance(minuteMs);
    await outbox.skip(25 * 60 * minuteMs);
    await clock.advance(minuteMs);
    assert.deepEqual(platform.shown("a"), [notices.undelivered]);
  });
});

describe("the mark of what may stand there twice", () => {
  const lostOnce = (platform: TestPlatform) => {
    platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? "lost-after" : "ok");
  };
  const file = { mimeType: "image/png", name: "a.png", ref: brandAs<MediaRef>("r") };

  it("stands above files and questions too", async () => {
    const { clock, outbox, platform } = await setUp();
    lostOnce(platform);
    await outbox.put("a", "", { attachments: [file] });
    await clock.advance(minuteMs);
    assert.deepEqual(platform.shown("a"), ["", notices.sentAgain]);
    const choices = [{ id: "yes", label: "Yes" }];
    const { clock: later, outbox: asked, platform: asking } = await setUp({ choices: { max: 3, maxLabelLength: 10 } });
    lostOnce(asking);
    await asked.put("b", "Which one?", { choices });
    await later.advance(minuteMs);
    assert.deepEqual(asking.shown("b"), ["Which one?", `${notices.sentAgain}\n\nWhich one?`]);
    assert.deepEqual(asking.calls.findLast(({ kind }) => kind === "send")?.message?.choices, choices);
  });

  it("is a message of its own below a text that fills its message", async () => {
    const { clock, outbox, platform } = await setUp();
    lostOnce(platform);
    await outbox.put("a", "x".repeat(100));
    await clock.advance(minuteMs);
    assert.deepEqual(platform.shown("a"), ["x".repeat(100), "x".repeat(100), notices.sentAgain]);
  });

  it("is not needed where the platform recognises a repetition or can be asked", async () => {
    const { clock, outbox, platform } = await setUp({ idempotentSend: true });
    lostOnce(platform);
    await outbox.put("a", "text");
    await clock.advance(minuteMs);
    assert.deepEqual(platform.shown("a"), ["text"]);
  });

  it("is there once, however often the text is sent again", async () => {
    const { clock, outbox, platform } = await setUp();
    platform.decide = (kind) => (kind === "send" && platform.count("send") < 4 ? "lost-before" : "ok");
    await outbox.put("a", "text a");
    await clock.advance(10 * minuteMs);
    assert.deepEqual(platform.shown("a"), [againA]);
  });
});
