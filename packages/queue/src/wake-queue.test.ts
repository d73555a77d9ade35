import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type SessionKey, systemClock } from "@talaria/protocol";
import type { Wake } from "./connections.ts";
import { createWakeProducer } from "./wake-queue.ts";

const key = (text: string) => brandAs<SessionKey>(text);

/** Records each round trip, which lasts until the test ends it. */
function recordRoundTrips() {
  const trips: { keys: string[]; end: PromiseWithResolvers<void> }[] = [];
  const send = (wakes: readonly Wake[]) => {
    const trip = { keys: wakes.map(({ key }) => key), end: Promise.withResolvers<void>() };
    trips.push(trip);
    return trip.end.promise;
  };
  const toFailure = (cause: unknown) => new GatewayError("no", { code: "unavailable", cause });
  return { trips, producer: createWakeProducer(send, systemClock, toFailure) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("overlapping wake-ups", () => {
  it("share the next round trip, each session once", async () => {
    const { trips, producer } = recordRoundTrips();
    const first = producer.wake(key("a"));
    await turn();
    const later = [
      producer.wake(key("a")),
      producer.wake(key("b")),
      producer.wake(key("a")),
      producer.rewake(key("a"), 3),
    ];
    await turn();
    trips[0]?.end.resolve();
    await first;
    await turn();
    trips[1]?.end.resolve();
    await Promise.all(later);
    assert.deepEqual(
      trips.map(({ keys }) => keys),
      [["a"], ["a", "b", "a"]],
    );
  });

  it("fail together, and only with their own round trip", async () => {
    const { trips, producer } = recordRoundTrips();
    const failing = [producer.wake(key("a")), producer.wake(key("b"))];
    await turn();
    trips[0]?.end.reject(new Error("gone"));
    for (const wake of failing) await assert.rejects(wake, { code: "unavailable" });
    const next = producer.wake(key("a"));
    await turn();
    trips[1]?.end.resolve();
    await next;
  });
});
