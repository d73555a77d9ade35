import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type ConversationId, silentLog } from "@talaria/protocol";
import { createSimulatedClock } from "@talaria/testkit";
import { createSignalBus } from "./signal-bus.ts";
import { account, delta } from "./testing/frames.ts";

const gatherMs = 25;

function setUp() {
  const clock = createSimulatedClock();
  const began = clock.now();
  const sent: { readonly at: number; readonly types: readonly string[] }[] = [];
  const transport = {
    maxPayloadBytes: 7_900,
    gatherMs,
    send: async (payloads: readonly { readonly payload: string }[]) => {
      const types = payloads.flatMap(({ payload }) => JSON.parse(payload).map(({ type }: { type: string }) => type));
      sent.push({ at: clock.now() - began, types });
    },
    subscribe: async () => undefined,
    unsubscribe: async () => undefined,
  };
  const bus = createSignalBus({ transport, log: silentLog, clock, random: () => 0.5 });
  return { clock, bus, sent };
}

describe("signals that follow others", () => {
  it("gather, and a single nudge does not wait for them", async () => {
    const { clock, bus, sent } = setUp();
    bus.frame(delta(0));
    await clock.advance(3);
    bus.frame(delta(1));
    bus.deliver(account);
    await clock.advance(100);
    bus.frame(delta(2));
    await clock.advance(10);
    bus.deliver(account);
    await clock.advance(100);
    assert.deepEqual(sent, [
      { at: 0, types: ["frame"] },
      { at: 5, types: ["frame", "deliver"] },
      { at: 103, types: ["frame"] },
      { at: 113, types: ["deliver"] },
    ]);
  });

  it("gather for the whole pause where several nudges travel together", async () => {
    const { clock, bus, sent } = setUp();
    const sentTo = (name: string) => bus.sent(account, brandAs<ConversationId>(name));
    for (const name of ["a", "b"]) sentTo(name);
    await clock.advance(10);
    for (const name of ["c", "d"]) sentTo(name);
    await clock.advance(100);
    assert.deepEqual(
      sent.map(({ at, types }) => [at, types.length]),
      [
        [0, 2],
        [gatherMs, 2],
      ],
    );
  });
});
