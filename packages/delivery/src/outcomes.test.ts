import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, silentLog } from "@talaria/protocol";
import { english } from "@talaria/words";
import fc from "fast-check";
import { mostRepeats } from "./after-failure.ts";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { accountId, type Outcome, TestPlatform } from "./test-platform.ts";
import { useStore } from "./test-store.ts";

const { deliveryNotices: notices } = english;

const outcome = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Outcome>("ok") },
  fc.constantFrom<Outcome>("lost-before", "lost-after"),
  fc
    .integer({ min: 100, max: 5_000 })
    .map((retryAfterMs) => new GatewayError("slow", { code: "rate_limited", retryAfterMs })),
  fc.constant(new GatewayError("busy", { code: "unavailable", effect: "none" })),
  fc.constant(new GatewayError("blocked", { code: "forbidden" })),
);

const history = fc.record({
  outcomes: fc.array(outcome, { maxLength: 30 }),
  /** Numbers of the steps (before or after a write or a call) at which the process dies. */
  crashes: fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 5 }),
  texts: fc.array(fc.tuple(fc.constantFrom("a", "b"), fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 6 }),
});

type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

const store = useStore();

/** A text without the mark above it. */
const unmarked = (text: string) => text.replace(`${notices.sentAgain}\n\n`, "");

/** Runs one history on the real store until nothing can happen any more. */
async function play({ outcomes, crashes, texts }: History) {
  const outbox = await store.fresh();
  const { clock } = outbox;
  const platform = new TestPlatform(clock, { maxTextLength: 10 });
  const closed = new Map<string, number>();
  const violations: string[] = [];
  const waiting = [...outcomes];
  let step = 0;
  let hasDied = false;

  function isCrash(): boolean {
    hasDied ||= crashes.includes(step);
    step += 1;
    return hasDied;
  }

  platform.decide = (kind, { conversationId }) => {
    if (kind === "typing") return "ok";
    if (clock.now() < (closed.get(conversationId) ?? 0))
      violations.push(`call into the closed window of ${conversationId}`);
    if (isCrash()) return "hang-before";
    const next = waiting.shift() ?? "ok";
    if (next instanceof GatewayError && next.retryAfterMs !== undefined) {
      closed.set(conversationId, clock.now() + next.retryAfterMs);
    }
    return next === "ok" && isCrash() ? "hang-after" : next;
  };
  outbox.around = async () => {
    if (isCrash()) await new Promise(() => undefined);
  };
  for (const [n, [conversation, parts]] of texts.entries())
    await outbox.put(conversation, Array.from({ length: parts }, (_, part) => `${n}-${part} text`).join("\n\n"));

  const deps = {
    outbox: outbox.port,
    turns: { partial: async () => undefined },
    clock,
    random: () => 0.5,
    log: silentLog,
    metrics: silentMetrics,
  };
  for (let life = 0; life <= crashes.length; life += 1) {
    const delivery = createDelivery(deps);
    delivery.attach(platform, outbox.lease);
    for (let n = 0; n < 60 && !hasDied && (await outbox.isPending()); n += 1) {
      // The pauses before a text is sent again grow.
      if (n > 10) await outbox.skip(n * 10_000);
      await clock.advance(10_000);
    }
    void delivery.detach(accountId, 0);
    await clock.advance(0);
    if (!hasDied) break;
    hasDied = false;
    // What only the dead process knew: the next one learns it by asking.
    closed.clear();
    await outbox.takeOver();
  }
  return { rows: await outbox.rows(), platform, violations };
}

describe("any history of outcomes and crashes, on the real store", () => {
  it("ends with every text delivered or visibly failed, in order, with no unmarked repetition", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (given) => {
        const { rows, platform, violations } = await play(given);
        assert.deepEqual(violations, []);
        for (const { conversation, state, error, parts } of rows) {
          assert.notEqual(state, "pending", "a text never ended");
          if (state === "failed") assert.ok(error === "forbidden" || error === "unknown_outcome", error);
          for (const part of (parts ?? []).filter(({ markdown }) => markdown !== notices.sentAgain)) {
            const seen = platform
              .shown(conversation)
              .map(unmarked)
              .filter((text) => text === unmarked(part.markdown)).length;
            if (state === "sent") assert.ok(seen >= 1, `${part.markdown} is missing`);
            assert.ok(part.unknown <= mostRepeats, `${part.markdown} was repeated ${part.unknown} times`);
            assert.ok(seen <= 1 + part.unknown, `${part.markdown} was seen ${seen} times, unknown ${part.unknown}`);
          }
        }
        for (const conversation of ["a", "b"]) {
          const order = platform.shown(conversation).filter((text) => text !== notices.sentAgain);
          assert.deepEqual(order, order.toSorted());
        }
      }),
      { numRuns: 30, seed: 20_261_123 },
    );
  });
});
