import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Clock, GatewayError, type InboundEvent, silentLog } from "@talaria/protocol";
import { handOver, offerPauseMs } from "./hand-over.ts";

const event = { id: "e1" } as InboundEvent;
const none = new AbortController().signal;

/** A host that rejects as often as there are errors, on a clock that does not wait. */
function stage(...errors: readonly Error[]) {
  const refusals = [...errors];
  const sleeps: number[] = [];
  let offered = 0;
  const clock: Clock = {
    now: () => 0,
    elapsed: () => 0,
    sleep: async (ms, signal) => {
      sleeps.push(ms);
      signal?.throwIfAborted();
    },
  };
  const host = {
    accept: async () => {
      offered += 1;
      const error = refusals.shift();
      if (error !== undefined) throw error;
      return "recorded" as const;
    },
  };
  return { parts: { host, clock, log: silentLog }, host, sleeps, offered: () => offered };
}

describe("handing an event over", () => {
  it("ends with what the host says, without a wait when it takes the event at once", async () => {
    const { parts, sleeps } = stage();
    assert.equal(await handOver(event, parts, none), "recorded");
    assert.deepEqual(sleeps, []);
  });

  it("goes on until the host takes it, each time after a longer wait", async () => {
    const away = Array.from({ length: 9 }, () => new Error("the store is away"));
    const { parts, sleeps, offered } = stage(...away);
    assert.equal(await handOver(event, parts, none), "recorded");
    assert.equal(offered(), 10);
    assert.deepEqual(
      sleeps,
      away.map((_, n) => offerPauseMs(n + 1, "e1")),
    );
    assert.ok(sleeps.every((ms) => ms >= 250 && ms <= 30_000));
  });

  it("waits as long as the host asks", async () => {
    const { parts, sleeps } = stage(new GatewayError("later", { code: "rate_limited", retryAfterMs: 45_000 }));
    await handOver(event, parts, none);
    assert.deepEqual(sleeps, [45_000]);
  });

  it("offers nothing once it is aborted, and rejects", async () => {
    const stopping = new AbortController();
    const before = stage();
    stopping.abort();
    await assert.rejects(handOver(event, before.parts, stopping.signal));
    assert.equal(before.offered(), 0);

    const between = new AbortController();
    const { parts, host, offered } = stage(new Error("no"), new Error("no"));
    const accept = host.accept;
    host.accept = () => {
      between.abort();
      return accept();
    };
    await assert.rejects(handOver(event, parts, between.signal));
    assert.equal(offered(), 1);
  });

  it("counts an event as taken that the host takes while it is aborted", async () => {
    const stopping = new AbortController();
    const { parts, host } = stage();
    const accept = host.accept;
    host.accept = () => {
      stopping.abort();
      return accept();
    };
    assert.equal(await handOver(event, parts, stopping.signal), "recorded");
  });
});
