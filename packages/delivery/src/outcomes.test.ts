import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError, silentLog } from "@talaria/protocol";
import { createSimulatedClock } from "@talaria/testkit";
import fc from "fast-check";
import { createDelivery } from "./delivery.ts";
import { silentMetrics } from "./metrics.ts";
import { TestOutbox } from "./test-outbox.ts";
import { accountId, type Outcome, TestPlatform } from "./test-platform.ts";

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

/** Runs one history on a simulated clock until nothing can happen any more. */
async function play({ outcomes, crashes, texts }: History) {
  const clock = createSimulatedClock();
  const outbox = new TestOutbox(clock);
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

  platform.decide = (_, { conversationId }) => {
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
  texts.forEach(([conversation, parts], n) => {
    outbox.put(conversation, Array.from({ length: parts }, (_, part) => `${n}-${part} text`).join("\n\n"));
  });

  const deps = {
    outbox,
    turns: { draft: async () => undefined },
    clock,
    random: () => 0.5,
    log: silentLog,
    metrics: silentMetrics,
  };
  for (let life = 0; life <= crashes.length; life += 1) {
    const delivery = createDelivery(deps);
    delivery.attach(platform, outbox.lease);
    for (let n = 0; n < 60 && !hasDied; n += 1) await clock.advance(10_000);
    void delivery.detach(accountId, 0);
    await clock.advance(0);
    if (!hasDied) break;
    hasDied = false;
    // What only the dead process knew: the next one learns it by asking.
    closed.clear();
    outbox.fence += 1;
  }
  return { outbox, platform, violations };
}

describe("any history of outcomes and crashes", () => {
  it("ends with every text delivered or visibly failed, in order, with no unmarked repetition", async () => {
    await fc.assert(
      fc.asyncProperty(history, async (given) => {
        const { outbox, platform, violations } = await play(given);
        assert.deepEqual(violations, []);
        for (const { row, state, error } of outbox.rows) {
          assert.notEqual(state, "pending", `row ${row.id} never ended`);
          if (state === "failed") assert.ok(error === "forbidden" || error === "unknown_outcome", error);
          for (const part of row.parts ?? []) {
            const seen = platform
              .shown(row.conversation.conversationId)
              .filter((text) => text === part.markdown).length;
            if (state === "sent") assert.ok(seen >= 1, `${part.markdown} is missing`);
            assert.ok(part.unknown <= 1, `${part.markdown} was repeated although a second outcome was unknown`);
            assert.ok(seen <= 1 + part.unknown, `${part.markdown} was seen ${seen} times, unknown ${part.unknown}`);
          }
        }
        for (const conversation of ["a", "b"]) {
          const order = platform.shown(conversation);
          assert.deepEqual(order, order.toSorted());
        }
      }),
      { numRuns: 400 },
    );
  });
});
