import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Capabilities } from "@talaria/adapter";
import {
  brandAs,
  type Conversation,
  GatewayError,
  type SessionKey,
  type StreamFrame,
  silentLog,
  type TurnId,
} from "@talaria/protocol";
import type { PartialReply } from "@talaria/store";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const turnId = brandAs<TurnId>("turn");
const sessionKey = brandAs<SessionKey>("acct/a");
const reply = { kind: "reply", turnId, sessionKey } as const;

type Step = StreamFrame extends infer Frame
  ? Frame extends StreamFrame
    ? Omit<Frame, "accountId" | "sessionKey" | "turnId" | "fence" | "n">
    : never
  : never;

const started: Step = { type: "started", conversation: conversationOf("a") };

const store = useStore();

async function setUp(capabilities: Partial<Capabilities> = {}) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, capabilities);
  const partials: { value?: PartialReply } = {};
  const turns = { partial: async () => partials.value };
  const delivery = createDelivery({
    outbox: outbox.port,
    turns,
    clock,
    random: () => 0.5,
    log: silentLog,
    metrics: silentMetrics,
  });
  delivery.attach(platform, outbox.lease);
  const frame = async (n: number, step: Step, fence = 1) => {
    delivery.frame({ ...step, accountId, sessionKey, turnId, fence, n });
    await clock.advance(0);
  };
  const delta = (n: number, offset: number, text: string, fence = 1) =>
    frame(n, { type: "delta", offset, text }, fence);
  const finish = async (markdown: string) => {
    await outbox.put("a", markdown, reply);
    delivery.poke(accountId);
    await clock.advance(100);
  };
  return { clock, outbox, platform, partials, turns, delivery, frame, delta, finish };
}

const partialOf = (text: string, route: Conversation = conversationOf("a")): PartialReply => ({
  turnId,
  sessionKey,
  fence: 1,
  state: "running",
  route,
  text,
});

describe("a preview", () => {
  it("is posted once, edited at the allowed pace, and becomes the final text", async () => {
    const { clock, platform, outbox, frame, delta, finish } = await setUp();
    await frame(0, started);
    for (let n = 0; n < 50; n += 1) {
      await delta(n + 1, n * 2, "x ");
      await clock.advance(100);
    }
    assert.equal(platform.count("send"), 1);
    assert.ok(platform.count("edit") >= 3 && platform.count("edit") <= 5);
    assert.deepEqual(await outbox.preview(turnId), { state: "posted", messageId: "m1" });
    await finish("the end");
    assert.deepEqual(platform.shown("a"), ["the end"]);
    assert.deepEqual(
      [(await outbox.rows())[0]?.state, (await outbox.rows())[0]?.parts?.[0]?.messageId],
      ["sent", "m1"],
    );
  });

  it("continues as new messages where the final text is longer than one", async () => {
    const { clock, platform, frame, delta, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "word ".repeat(50));
    assert.match(platform.shown("a")[0] ?? "", /^…\n(word ?)+$/);
    await clock.advance(2_000);
    await finish("word ".repeat(50).trim());
    assert.equal(platform.count("send"), 3);
    assert.equal(platform.shown("a").join(" "), "word ".repeat(50).trim());
  });

  it("does not appear before earlier texts of its conversation", async () => {
    const { clock, platform, outbox, frame, delta } = await setUp();
    platform.decide = (kind, _, text) =>
      kind === "send" && text === "earlier" && platform.count("send") < 3
        ? new GatewayError("busy", { code: "unavailable", effect: "none" })
        : "ok";
    await outbox.put("a", "earlier");
    await frame(0, started);
    await delta(1, 0, "growing");
    await clock.advance(20_000);
    assert.deepEqual(platform.shown("a"), ["earlier", "growing"]);
  });

  it("replaces the tail, restarts with a larger fence, and ignores a smaller one", async () => {
    const { clock, platform, frame, delta } = await setUp();
    await frame(0, started, 1);
    await delta(1, 0, "one two", 1);
    await clock.advance(1_500);
    await delta(2, 4, "three", 1);
    await clock.advance(1_500);
    assert.deepEqual(platform.shown("a"), ["one three"]);
    await frame(0, started, 2);
    await delta(1, 0, "anew", 2);
    await delta(3, 9, " old", 1);
    await clock.advance(1_500);
    assert.deepEqual(platform.shown("a"), ["anew"]);
  });

  it("reads the partial when frames were lost, also the first", async () => {
    const { clock, platform, partials, delta } = await setUp();
    partials.value = partialOf("one two");
    await delta(7, 7, " three");
    await clock.advance(1_500);
    assert.deepEqual(platform.shown("a"), ["one two three"]);
    partials.value = partialOf("one two three four five");
    await delta(12, 23, " six");
    await clock.advance(3_000);
    assert.deepEqual(platform.shown("a"), ["one two three four five six"]);
  });

  it("leaves the last token to the final text and makes no call into a closed window", async () => {
    const { clock, platform, outbox, frame, delta, finish } = await setUp({
      conversationPace: { burst: 2, refillMs: 60_000 },
    });
    await frame(0, started);
    await delta(1, 0, "one");
    await clock.advance(5_000);
    await delta(2, 3, " two");
    await clock.advance(5_000);
    assert.deepEqual(platform.shown("a"), ["one"]);
    platform.decide = (kind) =>
      kind === "edit" && platform.count("edit") === 1
        ? new GatewayError("slow down", { code: "rate_limited", retryAfterMs: 30_000 })
        : "ok";
    const before = clock.now();
    await finish("final");
    await delta(3, 7, " three");
    await clock.advance(120_000);
    assert.deepEqual(platform.shown("a"), ["final"]);
    assert.ok(platform.calls.filter(({ at }) => at > before + 100 && at < before + 30_000).length === 0);
    assert.equal((await outbox.rows())[0]?.state, "sent");
  });

  it("costs frames, never the reply, when it fails", async () => {
    const { clock, platform, frame, delta, finish } = await setUp();
    platform.decide = (kind, _, text) =>
      kind === "send" && text !== "final" ? new GatewayError("no", { code: "invalid_request" }) : "ok";
    await frame(0, started);
    for (let n = 0; n < 10; n += 1) {
      await delta(n + 1, n, "x");
      await clock.advance(2_000);
    }
    assert.equal(platform.count("send"), 3);
    await finish("final");
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("is posted anew and marked when nobody knows whether it was posted", async () => {
    const { platform, outbox, frame, delta, finish } = await setUp();
    platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? "lost-after" : "ok");
    await frame(0, started);
    await delta(1, 0, "growing");
    await finish("final");
    assert.deepEqual(platform.shown("a"), ["growing", "final"]);
    assert.equal((await outbox.rows())[0]?.parts?.[0]?.unknown, 1);
  });

  describe("on a platform that recognises what is sent twice", () => {
    const recognising = { idempotentSend: true };

    it("grows on when nobody knows whether it was posted", async () => {
      const { clock, platform, outbox, frame, delta, finish } = await setUp(recognising);
      platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? "lost-after" : "ok");
      await frame(0, started);
      await delta(1, 0, "growing");
      await delta(2, 7, " on");
      await clock.advance(2_000);
      assert.deepEqual(platform.shown("a"), ["growing on"]);
      await finish("final");
      assert.deepEqual(platform.shown("a"), ["final"]);
      assert.equal((await outbox.rows())[0]?.parts?.[0]?.unknown, 0);
    });

    for (const outcome of ["lost-after", "lost-before"] as const)
      it(`becomes the final text of the next gateway (${outcome})`, async () => {
        const { clock, platform, outbox, frame, delta, delivery, finish } = await setUp(recognising);
        platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? outcome : "ok");
        await frame(0, started);
        await delta(1, 0, "growing");
        await delivery.detach(accountId, 0);
        delivery.attach(platform, outbox.lease);
        platform.decide = (kind) => (kind === "edit" && platform.count("edit") === 1 ? "lost-before" : "ok");
        await finish("final");
        await clock.advance(60_000);
        assert.deepEqual(platform.shown("a"), ["final"]);
        assert.equal((await outbox.rows())[0]?.parts?.[0]?.unknown, 0);
      });

    it("is found once, and edited until that works, also when the platform has forgotten its key", async () => {
      const { clock, platform, frame, delta, finish } = await setUp(recognising);
      platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? "lost-after" : "ok");
      await frame(0, started);
      await delta(1, 0, "growing");
      platform.decide = (kind) => (kind === "edit" && platform.count("edit") === 1 ? "lost-before" : "ok");
      await finish("final");
      platform.forgetKeys();
      await clock.advance(60_000);
      assert.deepEqual(platform.shown("a"), ["final"]);
    });

    it("becomes the final text when a gateway died while it took its place", async () => {
      const { clock, platform, outbox, frame, delta, delivery, finish } = await setUp(recognising);
      platform.decide = (kind) => (kind === "send" ? "lost-after" : "ok");
      await frame(0, started);
      await delta(1, 0, "growing");
      await delivery.detach(accountId, 0);
      delivery.attach(platform, outbox.lease);
      platform.decide = (kind) => (kind === "send" ? "hang-after" : "ok");
      await finish("final");
      await delivery.detach(accountId, 0);
      assert.equal((await outbox.rows())[0]?.parts?.[0]?.state, "sending");
      platform.decide = () => "ok";
      delivery.attach(platform, outbox.lease);
      await clock.advance(60_000);
      assert.deepEqual(platform.shown("a"), ["final"]);
    });
  });

  it("that could not be posted is not looked for when nobody knows whether the final text was", async () => {
    const { clock, platform, outbox, frame, delta, delivery, finish } = await setUp({ idempotentSend: true });
    platform.decide = () => new GatewayError("slow", { code: "rate_limited", retryAfterMs: 1_000 });
    await frame(0, started);
    await delta(1, 0, "growing");
    platform.decide = (kind) => (kind === "send" ? "lost-after" : "ok");
    await clock.advance(1_000);
    await finish("final");
    await delivery.detach(accountId, 0);
    platform.decide = () => "ok";
    delivery.attach(platform, await outbox.takeOver());
    await clock.advance(60_000);
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("that was found again becomes the final text when a gateway died before it was edited", async () => {
    const { clock, platform, outbox, frame, delta, delivery, finish } = await setUp({ idempotentSend: true });
    platform.decide = (kind) => (kind === "send" ? "lost-after" : "ok");
    await frame(0, started);
    await delta(1, 0, "growing");
    platform.decide = (kind) => (kind === "edit" ? "hang-before" : "ok");
    await finish("final");
    await delivery.detach(accountId, 0);
    platform.decide = () => "ok";
    delivery.attach(platform, await outbox.takeOver());
    await clock.advance(60_000);
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("keeps its mark when the text that takes its place is split", async () => {
    const { clock, platform, outbox, frame, delta, finish } = await setUp();
    platform.decide = (kind) => (kind === "send" && platform.count("send") === 1 ? "lost-after" : "ok");
    await frame(0, started);
    await delta(1, 0, "growing");
    platform.decide = (_, __, text) => (text.length > 20 ? new GatewayError("long", { code: "too_large" }) : "ok");
    await finish("word word word word word word");
    await clock.advance(10_000);
    const [row] = await outbox.rows();
    assert.deepEqual([row?.state, row?.parts?.map(({ unknown }) => unknown)], ["sent", [1, 0]]);
  });

  it("that can't be edited any more is taken away before the text is posted anew", async () => {
    const { platform, outbox, frame, delta, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    platform.decide = (kind) => (kind === "edit" ? new GatewayError("too old", { code: "invalid_request" }) : "ok");
    await finish("final");
    assert.deepEqual([platform.shown("a"), await outbox.preview(turnId)], [["final"], undefined]);
  });

  it("is posted anew when its message is gone", async () => {
    const { platform, frame, delta, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    platform.messages.clear();
    await finish("final");
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  for (const status of ["aborted", "failed"] as const)
    it(`is taken away when its turn ${status} without a text`, async () => {
      const { clock, platform, outbox, frame, delta } = await setUp();
      await frame(0, started);
      await delta(1, 0, "growing");
      await frame(2, { type: "ended", status });
      await outbox.abort(turnId, "a", status);
      await clock.advance(10_000);
      assert.deepEqual([platform.shown("a"), await outbox.preview(turnId)], [[], undefined]);
    });

  it("of a gateway that died is taken away all the same, also when that works only later", async () => {
    const { clock, platform, outbox, frame, delta, delivery } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    await delivery.detach(accountId, 0);
    await outbox.abort(turnId, "a");
    platform.decide = (kind) => (kind === "delete" ? "lost-before" : "ok");
    delivery.attach(platform, outbox.lease);
    await clock.advance(30_000);
    assert.deepEqual([platform.shown("a"), platform.count("delete")], [["growing"], 1]);
    platform.decide = () => "ok";
    await clock.advance(60_000);
    assert.deepEqual([platform.shown("a"), await outbox.preview(turnId)], [[], undefined]);
    await clock.advance(600_000);
    assert.equal(platform.count("delete"), 2);
  });

  it("stays when its turn goes on elsewhere, and grows on under the next gateway", async () => {
    const { clock, platform, outbox, frame, delta, delivery, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    await frame(2, { type: "ended", status: "aborted" });
    await clock.advance(10_000);
    await delivery.detach(accountId, 0);
    delivery.attach(platform, outbox.lease);
    await frame(0, started, 2);
    await delta(1, 0, "growing again", 2);
    await clock.advance(2_000);
    assert.deepEqual(platform.shown("a"), ["growing again"]);
    await finish("final");
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("of the gateway before becomes the final text though this one has shown nothing yet", async () => {
    const { platform, outbox, frame, delta, delivery, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    await delivery.detach(accountId, 0);
    delivery.attach(platform, outbox.lease);
    await frame(0, started, 2);
    await finish("final");
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("is not edited when it shows the final text already", async () => {
    const { clock, platform, outbox, frame, delta, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "all of it");
    await clock.advance(2_000);
    await finish("all of it");
    assert.deepEqual([platform.count("send"), platform.count("edit"), (await outbox.rows())[0]?.state], [1, 0, "sent"]);
  });

  it("does not come back with frames that arrive after the final text", async () => {
    const { clock, platform, frame, delta, finish } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    await finish("final");
    await frame(0, started, 2);
    await delta(1, 0, "late", 2);
    await clock.advance(10_000);
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("does not begin while the final text is under way", async () => {
    const { clock, platform, frame, delta, finish } = await setUp();
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    platform.send = async (message) => {
      await promise;
      return TestPlatform.prototype.send.call(platform, message);
    };
    await finish("final");
    await frame(0, started);
    await delta(1, 0, "late");
    answer();
    await clock.advance(10_000);
    assert.deepEqual(platform.shown("a"), ["final"]);
  });

  it("asks for a partial once a second while the store is away", async () => {
    const { clock, turns, frame, delta } = await setUp();
    let reads = 0;
    turns.partial = async () => {
      reads += 1;
      throw new GatewayError("away", { code: "unavailable" });
    };
    await frame(0, started);
    await delta(5, 40, "after a gap");
    for (let n = 0; n < 50; n += 1) await clock.advance(100);
    assert.ok(reads >= 4 && reads <= 7, `${reads} reads`);
  });

  it("costs only itself when the adapter throws something unforeseen or a conflict of the platform", async () => {
    const odd = await setUp();
    Object.assign(odd.platform, {
      capabilitiesFor: () => {
        throw new TypeError("no such kind");
      },
    });
    await odd.frame(0, started);
    Reflect.deleteProperty(odd.platform, "capabilitiesFor");
    await odd.finish("final");
    assert.deepEqual(odd.platform.shown("a"), ["final"]);
    const busy = await setUp();
    busy.platform.decide = () => new GatewayError("somebody else edits", { code: "conflict" });
    await busy.frame(0, started);
    await busy.delta(1, 0, "growing");
    busy.platform.decide = () => "ok";
    await busy.finish("final");
    assert.deepEqual(busy.platform.shown("a"), ["final"]);
  });

  it("grows as a message at once where the platform turns out to show no views", async () => {
    const { clock, platform, frame, delta, finish } = await setUp();
    let showsViews = true;
    const opened: string[] = [];
    const { view: _, ...plain } = platform.capabilities;
    Object.assign(platform, {
      capabilitiesFor: () => (showsViews ? { ...plain, view: { minIntervalMs: 500 } } : plain),
      openReply: async () => {
        opened.push("view");
        showsViews = false;
        throw new GatewayError("no views here", { code: "unsupported" });
      },
    });
    await frame(0, started);
    await delta(1, 0, "the first words");
    await clock.advance(0);
    assert.deepEqual(opened, ["view"]);
    assert.deepEqual(platform.shown("a"), ["the first words"]);
    await finish("the first words and the last");
    assert.deepEqual(platform.shown("a"), ["the first words and the last"]);
  });

  it("is not shown for a reply that has ended already", async () => {
    const { platform, delivery, clock, finish } = await setUp();
    const base = { accountId, sessionKey, turnId, fence: 1 };
    delivery.frame({ ...base, n: 0, type: "started", conversation: conversationOf("a") });
    delivery.frame({ ...base, n: 1, type: "delta", offset: 0, text: "short" });
    delivery.frame({ ...base, n: 2, type: "ended", status: "completed" });
    await clock.advance(500);
    await finish("short");
    assert.equal(platform.count("send") + platform.count("edit"), 1);
  });
});

describe("typing", () => {
  it("is renewed while frames come and ends soon after the reply", async () => {
    const { clock, platform, frame, finish } = await setUp();
    await frame(0, started);
    for (let n = 1; n <= 6; n += 1) {
      await clock.advance(10_000);
      await frame(n, { type: "status", label: "working" });
    }
    assert.ok(platform.count("typing") >= 14);
    await finish("final");
    const shown = platform.count("typing");
    await clock.advance(60_000);
    assert.equal(platform.count("typing"), shown);
  });

  it("ends when the worker falls silent, and after three refusals", async () => {
    const silent = await setUp();
    await silent.frame(0, started);
    await silent.clock.advance(120_000);
    assert.ok(silent.platform.count("typing") <= 8);
    const refused = await setUp();
    refused.platform.decide = () => "lost-before";
    await refused.frame(0, started);
    await refused.clock.advance(20_000);
    assert.equal(refused.platform.count("typing"), 3);
  });

  it("leaves no timer when the account is let go", async () => {
    const { clock, delivery, frame, delta } = await setUp();
    await frame(0, started);
    await delta(1, 0, "growing");
    const detached = delivery.detach(accountId, 1_000);
    await clock.advance(10);
    await detached;
    await clock.advance(10);
    assert.equal(clock.waiting, 0);
  });
});
