import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type SessionKey, silentLog } from "@talaria/protocol";
import { english } from "@talaria/words";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type Call, type CapabilityChanges, type Outcome, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const { deliveryNotices: notices } = english;

const store = useStore();
const sessionKey = brandAs<SessionKey>("acct/a");
const dayMs = 24 * 60 * 60_000;
const marked = `${notices.sentAgain}\n\nthe answer`;
const busy = new GatewayError("busy", { code: "unavailable", effect: "none" });

interface Has {
  readonly changes?: CapabilityChanges;
  readonly finds?: boolean;
}

/** What stands there, and what was added at last, of an answer that was given up while such calls had this outcome, and is sent again by hand. */
async function retried(
  outcome: Outcome | ((ageMs: number) => Outcome),
  { changes = {}, ...has }: Has = {},
  kinds: readonly Call["kind"][] = ["send"],
) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, changes, has);
  const own = { turns: { partial: async () => undefined }, clock, random: () => 0.5, log: silentLog };
  const delivery = createDelivery({ ...own, metrics: silentMetrics, outbox: outbox.port });
  delivery.attach(platform, outbox.lease);
  const start = clock.elapsed();
  const now = () => (typeof outcome === "function" ? outcome(clock.elapsed() - start) : outcome);
  platform.decide = (kind) => (kinds.includes(kind) ? now() : "ok");
  await outbox.put("a", "the answer", { kind: "reply", sessionKey });
  delivery.poke(accountId);
  await clock.advance(100);
  const state = async () => (await outbox.rows())[0]?.state;
  for (let n = 0; n < 10 && (await state()) === "pending"; n += 1) {
    await outbox.skip(dayMs / 4);
    await clock.advance(60_000);
  }
  assert.equal(await state(), "failed");
  platform.decide = () => "ok";
  await clock.advance(60_000);
  const answers = () => platform.shown("a").filter((text) => text.includes("the answer"));
  const before = answers().length;
  assert.equal(await outbox.retry(sessionKey), 1);
  delivery.poke(accountId);
  await clock.advance(10 * 60_000);
  assert.equal(await state(), "sent");
  return { all: answers(), added: answers().slice(before) };
}

describe("an answer that was given up and is sent again by hand", () => {
  it("is marked where it may have arrived", async () => {
    assert.deepEqual((await retried("lost-before")).all, [marked]);
    const { all, added } = await retried("lost-after");
    assert.deepEqual([all[0], new Set(all.slice(1)), added], ["the answer", new Set([marked]), [marked]]);
  });

  it("is marked as well where it was never sent again before it was given up", async () => {
    const late = (ageMs: number) => (ageMs > dayMs ? "lost-after" : busy);
    assert.deepEqual((await retried(late)).all, ["the answer", marked]);
    assert.deepEqual((await retried((ageMs) => (ageMs > dayMs ? "lost-before" : busy))).all, [marked]);
  });

  it("has no mark where it surely did not arrive", async () => {
    assert.deepEqual((await retried(busy)).all, ["the answer"]);
    assert.deepEqual((await retried(new GatewayError("blocked", { code: "forbidden" }))).all, ["the answer"]);
  });

  it("is looked for, or recognised, where the platform can do that", async () => {
    const { all, added } = await retried("lost-after", { finds: true }, ["send", "find"]);
    assert.ok(all.length > 0);
    assert.deepEqual(added, []);
    assert.deepEqual((await retried("lost-after", { changes: { idempotentSend: true } })).all, ["the answer"]);
  });
});
