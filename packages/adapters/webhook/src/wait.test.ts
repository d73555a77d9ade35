import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type EventId } from "@talaria/protocol";
import { createSimulatedClock } from "@talaria/testkit";
import { waitForReply } from "./wait.ts";

const eventId = brandAs<EventId>("d-1");

/** A caller who waits, with what the route would know. */
function waiting(reply?: string | null) {
  const clock = createSimulatedClock();
  const state: { reply: string | null | undefined; asked: number; isAway: boolean } = {
    reply,
    asked: 0,
    isAway: false,
  };
  const stopping = new AbortController();
  const gone = new AbortController();
  const replyOf = async () => {
    state.asked += 1;
    if (state.isAway) throw new Error("the store is away");
    return state.reply;
  };
  const response = waitForReply(eventId, { clock, replyOf, stopping: stopping.signal }, gone.signal);
  return { clock, state, stopping, gone, response };
}

describe("a caller who waits", () => {
  it("gets a reply that is there already", async () => {
    const { state, response } = waiting("at once");
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { eventId, reply: "at once" });
    assert.equal(state.asked, 1);
  });

  it("gets a reply that arrives later", async () => {
    const { clock, state, response } = waiting();
    const answer = response.json();
    await clock.advance(120_000);
    state.reply = "after two minutes";
    await clock.advance(1_000);
    assert.deepEqual(await answer, { eventId, reply: "after two minutes" });
  });

  it("is told when there will be none", async () => {
    const { response } = waiting(null);
    assert.deepEqual(await response.json(), { eventId, reply: null });
  });

  it("is told when none came in ten minutes, and nobody looks any more", async () => {
    const { clock, state, response } = waiting();
    const answer = response.json();
    await clock.advance(602_000);
    assert.deepEqual(await answer, { eventId, reply: null });
    const { asked } = state;
    assert.ok(asked < 620, `${asked} looks`);
    await clock.advance(60_000);
    assert.equal(state.asked, asked);
  });

  it("outlives a store that is away, without hurry", async () => {
    const { clock, state, response } = waiting();
    const answer = response.json();
    state.isAway = true;
    await clock.advance(60_000);
    assert.ok(state.asked < 80, `${state.asked} looks in a minute`);
    state.isAway = false;
    state.reply = "back";
    await clock.advance(1_000);
    assert.deepEqual(await answer, { eventId, reply: "back" });
  });

  for (const how of ["hangs up", "stops reading"] as const)
    it(`and ${how} is forgotten`, async () => {
      const { clock, state, gone, response } = waiting();
      await clock.advance(1_000);
      if (how === "hangs up") gone.abort();
      else await response.body!.cancel();
      await clock.advance(60_000);
      assert.equal(clock.waiting, 0);
      assert.ok(state.asked < 12);
      if (how === "hangs up") await assert.rejects(response.text());
    });

  it("is let go when the route stops", async () => {
    const { clock, stopping, response } = waiting();
    const answer = response.json();
    await clock.advance(1_000);
    stopping.abort();
    assert.deepEqual(await answer, { eventId, reply: null });
    assert.equal(clock.waiting, 0);
  });
});
