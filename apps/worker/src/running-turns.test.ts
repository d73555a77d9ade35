import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, GatewayError, type ProcessId, type SessionKey, systemClock } from "@talaria/protocol";
import type { Cancellation } from "@talaria/store";
import { createSimulatedClock } from "@talaria/testkit";
import { RunningTurns } from "./running-turns.ts";

function turnOf(session: string, timeoutMs = 60_000) {
  const lease = { sessionKey: brandAs<SessionKey>(session), holder: brandAs<ProcessId>("w"), fence: 1 };
  return { lease, firstSeq: 1, timeoutMs, graceMs: 5 };
}

/** Resolves with the reason the turn was ended for. */
function untilEnded(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    signal.addEventListener("abort", () => resolve(signal.reason), { once: true });
  });
}

function turnsWith(answer: () => Promise<Cancellation | undefined>): RunningTurns {
  return new RunningTurns({ cancelled: answer }, systemClock);
}

describe("a running turn", () => {
  it("is counted until it ends, also badly", async () => {
    const turns = turnsWith(async () => undefined);
    const gate = Promise.withResolvers<void>();
    const good = turns.run(turnOf("a"), () => gate.promise);
    const bad = turns.run(turnOf("b"), async () => {
      throw new Error("broken");
    });
    assert.equal(turns.size, 2);
    await assert.rejects(bad, /broken/);
    gate.resolve();
    await good;
    assert.equal(turns.size, 0);
  });

  for (const reason of ["stopped", "superseded"] as const)
    it(`is ended when the store says ${reason}, and no other with it`, async () => {
      const turns = new RunningTurns(
        {
          cancelled: async ({ sessionKey }) => (sessionKey === "a" ? reason : undefined),
        },
        systemClock,
      );
      const gate = Promise.withResolvers<void>();
      const ended = turns.run(turnOf("a"), untilEnded);
      const other = turns.run(turnOf("b"), async (signal) => {
        await gate.promise;
        return signal.aborted;
      });
      await turns.checkAll();
      assert.equal(await ended, reason);
      gate.resolve();
      assert.equal(await other, false);
    });

  it("is ended as lost when another worker has the session", async () => {
    const turns = turnsWith(() => Promise.reject(new GatewayError("lost", { code: "conflict" })));
    const ended = turns.run(turnOf("a"), untilEnded);
    await turns.check(brandAs<SessionKey>("a"));
    assert.equal(await ended, "lost");
  });

  it("goes on while the store cannot be asked", async () => {
    const turns = turnsWith(() => Promise.reject(new GatewayError("away", { code: "unavailable" })));
    const ended = turns.run(turnOf("a"), untilEnded);
    await assert.rejects(turns.checkAll(), /away/);
    turns.abortAll();
    assert.equal(await ended, "shutdown");
  });

  it("is told when its time is over, and ended when its grace is", async () => {
    const turns = turnsWith(async () => undefined);
    const told: string[] = [];
    const ended = await turns.run(turnOf("a", 5), async (signal, timeUp) => {
      told.push(await untilEnded(timeUp), signal.aborted ? "ended" : "has its grace");
      return untilEnded(signal);
    });
    assert.deepEqual([...told, ended], ["timeout", "has its grace", "timeout"]);
  });

  it("has its time stand still while a call of it waits for people", async () => {
    const clock = createSimulatedClock();
    const turns = new RunningTurns({ cancelled: async () => undefined }, clock);
    const answer = Promise.withResolvers<string>();
    const steps: string[] = [];
    const { lease, ...turn } = turnOf("a", 1_000);
    await turns.run({ lease, ...turn }, async (_, timeUp) => {
      timeUp.addEventListener("abort", () => steps.push("time is up"));
      await clock.advance(900);
      const waiting = turns.untimed(lease.sessionKey, () => answer.promise);
      await clock.advance(24 * 3_600_000);
      answer.resolve("yes");
      steps.push(await waiting);
      await clock.advance(99);
      steps.push("goes on");
      await clock.advance(1);
    });
    assert.deepEqual(steps, ["yes", "goes on", "time is up"]);
    assert.equal(await turns.untimed(lease.sessionKey, async () => "after its end"), "after its end");
  });

  it("leaves no timer behind", async () => {
    const clock = createSimulatedClock();
    const turns = new RunningTurns({ cancelled: async () => undefined }, clock);
    await turns.run(turnOf("a"), async () => assert.equal(clock.waiting, 1));
    assert.equal(clock.waiting, 0);
  });

  it("keeps its first reason", async () => {
    const turns = turnsWith(async () => "stopped");
    const ended = turns.run(turnOf("a"), async (signal) => {
      await untilEnded(signal);
      turns.abortAll();
      return signal.reason;
    });
    await turns.checkAll();
    assert.equal(await ended, "stopped");
  });

  it("goes on when the process closes, until it is told to end", async () => {
    const turns = turnsWith(async () => undefined);
    let isOver = false;
    const ended = turns.run(turnOf("a"), async (signal) => {
      const reason = await untilEnded(signal);
      isOver = true;
      return reason;
    });
    turns.close();
    await Promise.resolve();
    assert.deepEqual([turns.closed, isOver], [true, false]);
    turns.abortAll();
    assert.equal(await ended, "shutdown");
    assert.equal(await turns.run(turnOf("b"), untilEnded), "shutdown", "and one that slipped in ends at once");
  });

  it("ends what it began when its work is done", async () => {
    const turns = turnsWith(async () => undefined);
    const signal = await turns.run(turnOf("a"), async (given) => given);
    assert.equal(signal.aborted, true);
  });
});
