import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  brandAs,
  GatewayError,
  type MessageId,
  type MessageRef,
  type SessionKey,
  type StreamFrame,
  silentLog,
  type TurnId,
} from "@talaria/protocol";
import type { Asked } from "@talaria/store";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type CapabilityChanges, conversationOf, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const turnId = brandAs<TurnId>("turn");
const conversation = conversationOf("a");
const ref = (id: string): MessageRef => ({ conversation, messageId: brandAs<MessageId>(id) });

/** Keeps what is shown on each message, and what was done to it. */
class ReactingPlatform extends TestPlatform {
  readonly log: string[] = [];
  readonly on = new Map<MessageId, Set<string>>();
  fail: GatewayError | undefined;

  async react({ messageId }: MessageRef, emoji: string): Promise<void> {
    this.log.push(`+${emoji}`);
    if (this.fail !== undefined) throw this.fail;
    this.on.set(messageId, new Set(this.on.get(messageId)).add(emoji));
  }

  async unreact({ messageId }: MessageRef, emoji: string): Promise<void> {
    this.log.push(`-${emoji}`);
    this.on.get(messageId)?.delete(emoji);
  }

  shownOn(id: string): string {
    return [...(this.on.get(brandAs<MessageId>(id)) ?? [])].join("");
  }
}

const store = useStore();

async function setUp(capabilities: CapabilityChanges = {}, isOn = true) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new ReactingPlatform(clock, {
    conversationPace: { burst: 20, refillMs: 10 },
    ...capabilities,
  });
  const turn: { state: Asked["state"] } = { state: "running" };
  const delivery = createDelivery({
    outbox: outbox.port,
    turns: { partial: async () => undefined },
    reactions: {
      isOn: () => isOn,
      asked: async () => ({ route: conversation, askers: [], answers: ref("q"), state: turn.state }),
    },
    clock,
    random: () => 0.5,
    log: silentLog,
    metrics: silentMetrics,
  });
  delivery.attach(platform, outbox.lease);
  let n = 0;
  const frame = async (step: { type: "started" } | { type: "ended"; status: "aborted" }) => {
    const place = { accountId, sessionKey: brandAs<SessionKey>("k"), turnId, fence: 1, n };
    delivery.frame({ ...step, ...(step.type === "started" ? { conversation } : {}), ...place } as StreamFrame);
    n += 1;
    await clock.advance(100);
  };
  const seen = async (id = "q") => {
    delivery.seen(ref(id));
    await clock.advance(100);
  };
  const finish = async (state: Asked["state"], ms = 500) => {
    turn.state = state;
    await outbox.put("a", "the answer", { kind: "reply", turnId });
    delivery.poke(accountId);
    await clock.advance(ms);
  };
  return { clock, platform, turn, delivery, frame, seen, finish };
}

describe("reactions that show how far an answer is", () => {
  it("go from seen to working to done, one at a time", async () => {
    const { platform, frame, seen, finish } = await setUp();
    await seen();
    assert.equal(platform.shownOn("q"), "👀");
    await frame({ type: "started" });
    assert.equal(platform.shownOn("q"), "⏳");
    await finish("completed");
    assert.equal(platform.shownOn("q"), "✅");
    assert.deepEqual(platform.log, ["+👀", "-👀", "+⏳", "-⏳", "+✅"]);
  });

  it("say that it failed, and nothing when it was stopped", async () => {
    const failed = await setUp();
    await failed.seen();
    await failed.finish("failed");
    assert.equal(failed.platform.shownOn("q"), "❌");
    const stopped = await setUp();
    await stopped.seen();
    stopped.turn.state = "aborted";
    await stopped.frame({ type: "started" });
    await stopped.frame({ type: "ended", status: "aborted" });
    assert.equal(stopped.platform.shownOn("q"), "");
  });

  it("say that an answer failed that could not be delivered", async () => {
    const { platform, seen, finish } = await setUp();
    platform.decide = (kind) => (kind === "send" ? new GatewayError("blocked", { code: "forbidden" }) : "ok");
    await seen();
    await finish("completed");
    assert.equal(platform.shownOn("q"), "❌");
  });

  it("are off unless they are wanted and the platform has them", async () => {
    const without = await setUp();
    Object.assign(without.platform, { react: undefined, unreact: undefined });
    for (const { platform, seen, finish } of [await setUp({}, false), without]) {
      await seen();
      await finish("completed");
      assert.deepEqual(platform.log, []);
    }
  });

  it("show long work once, where nothing else does, and are gone with the answer or when it waits", async () => {
    for (const end of ["completed", "aborted"] as const) {
      const { clock, platform, turn, frame, finish } = await setUp({ edit: undefined }, false);
      await frame({ type: "started" });
      await clock.advance(9_000);
      assert.deepEqual(platform.log, []);
      await clock.advance(1_000);
      assert.equal(platform.shownOn("q"), "⏳");
      turn.state = end;
      if (end === "completed") await finish(end);
      else await frame({ type: "ended", status: "aborted" });
      assert.deepEqual([platform.shownOn("q"), platform.log], ["", ["+⏳", "-⏳"]]);
    }
    const quick = await setUp({ edit: undefined }, false);
    await quick.frame({ type: "started" });
    await quick.finish("completed");
    await quick.clock.advance(20_000);
    assert.deepEqual(quick.platform.log, []);
  });

  it("never take the token that the answer needs, and skip what was overtaken", async () => {
    const { clock, platform, frame, seen, finish } = await setUp({ conversationPace: { burst: 2, refillMs: 5_000 } });
    await seen();
    await frame({ type: "started" });
    const before = clock.now();
    await finish("completed");
    const sent = platform.calls.find(({ kind }) => kind === "send");
    assert.ok(sent !== undefined && sent.at - before <= 500);
    await clock.advance(30_000);
    assert.equal(platform.shownOn("q"), "✅");
    assert.deepEqual(platform.log, ["+👀", "-👀", "+✅"]);
  });

  it("are not tried again where the platform lacks them or fails, and leave no timer", async () => {
    const { clock, platform, delivery, seen, finish } = await setUp();
    platform.fail = new GatewayError("no such emoji", { code: "unsupported" });
    await seen("one");
    await seen("two");
    assert.deepEqual(platform.log, ["+👀"]);
    platform.fail = new GatewayError("gone", { code: "forbidden" });
    await finish("completed");
    assert.deepEqual(platform.log, ["+👀", "+✅"]);
    await delivery.detach(accountId, 0);
    await clock.advance(0);
    assert.equal(clock.waiting, 0);
  });

  it("wait out a rate limit, and are given up after a minute", async () => {
    const { clock, platform, seen } = await setUp();
    platform.fail = new GatewayError("slow down", { code: "rate_limited", retryAfterMs: 10_000 });
    await seen();
    platform.fail = undefined;
    await clock.advance(20_000);
    assert.equal(platform.shownOn("q"), "👀");
    platform.fail = new GatewayError("slow down", { code: "rate_limited", retryAfterMs: 10_000 });
    await seen("late");
    await clock.advance(120_000);
    const calls = platform.log.length;
    await clock.advance(120_000);
    assert.equal(platform.log.length, calls);
  });
});
