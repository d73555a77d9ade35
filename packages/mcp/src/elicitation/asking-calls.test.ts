import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog, systemClock } from "@talaria/protocol";
import { toolContext } from "../mcp.fixture.ts";
import type { AskPerson } from "../ports.ts";
import { AskingCalls } from "./asking-calls.ts";

const tool = { server: "desk", nameThere: "book" };
const form = { message: "Really?", requestedSchema: { type: "object", properties: { sure: { type: "boolean" } } } };
const never = new AbortController().signal;

function calls(ask: AskPerson) {
  return new AskingCalls({ ask, clock: systemClock, log: silentLog });
}

describe("what a server asks in the middle of a call", () => {
  it("is asked of the people of the call in whose course it comes", async () => {
    const asked: string[] = [];
    const asking = calls(async ({ callId }) => {
      asked.push(callId);
      return { status: "answered", content: callId === "c1" ? "Yes" : "No" };
    });
    const call = (callId: string) =>
      asking.during(tool, toolContext({ callId }), async () => {
        await systemClock.sleep(5);
        return await asking.answer(form, never);
      });
    const ends = await Promise.all([call("c1"), call("c2")]);
    assert.deepEqual(
      ends,
      [true, false].map((sure) => ({ action: "accept", content: { sure } })),
    );
    assert.deepEqual(asked.toSorted(), ["c1", "c2"]);
  });

  it("over pipes is asked where one call runs, and nobody where none or several do", async () => {
    const asked: string[] = [];
    const asking = calls(async ({ callId }) => {
      asked.push(callId);
      return { status: "answered", content: "Yes" };
    });
    assert.deepEqual(await asking.answer(form, never), { action: "decline" });
    const { promise: both, resolve: end } = Promise.withResolvers<void>();
    const one = asking.during(tool, toolContext({ callId: "c1" }), () => both);
    assert.deepEqual(await asking.answer(form, never), { action: "accept", content: { sure: true } });
    const other = asking.during(tool, toolContext({ callId: "c2" }), () => both);
    assert.deepEqual(await asking.answer(form, never), { action: "decline" });
    end();
    await Promise.all([one, other]);
    assert.deepEqual(await asking.answer(form, never), { action: "decline" });
    assert.deepEqual(asked, ["c1"]);
  });

  it("is declined after three times, and where it asks for a secret, which the people see", async () => {
    let asked = 0;
    const asking = calls(async () => {
      asked += 1;
      return { status: "answered", content: "Yes" };
    });
    const context = toolContext();
    const ends = await asking.during(tool, context, () =>
      Promise.all(Array.from({ length: 5 }, () => asking.answer(form, never))),
    );
    assert.deepEqual(
      ends.map(({ action }) => action),
      ["accept", "accept", "accept", "decline", "decline"],
    );
    const secret = { message: "Log in", requestedSchema: { properties: { password: { type: "string" } } } };
    await asking.during(tool, context, async () => {
      assert.deepEqual(await asking.answer(secret, never), { action: "decline" });
    });
    assert.equal(asked, 3);
    assert.match(context.shown.at(-1) ?? "", /declined a question of desk: the field password asks for a secret/);
  });

  it("takes none of the call's time, and no more than a quarter of an hour", async () => {
    let now = 0;
    const withins: number[] = [];
    let untimed = 0;
    const asking = new AskingCalls({
      ask: async (_, { withinMs }) => {
        withins.push(withinMs);
        now += 400_000;
        return { status: "answered", content: "Yes" };
      },
      clock: { elapsed: () => now },
      log: silentLog,
    });
    const context = toolContext({
      untimed: (work) => {
        untimed += 1;
        return work();
      },
    });
    const ends = await asking.during(tool, context, async () => [
      await asking.answer(form, never),
      await asking.answer(form, never),
      await asking.answer(form, never),
    ]);
    assert.deepEqual([withins, untimed], [[900_000, 500_000, 100_000], 3]);
    assert.deepEqual(
      ends.map(({ action }) => action),
      ["accept", "accept", "accept"],
    );
  });

  it("is cancelled with the call", async () => {
    const stop = new AbortController();
    const asking = calls(async (_call, _question, signal) => {
      stop.abort();
      assert.ok(signal.aborted);
      return { status: "unanswered" };
    });
    const end = await asking.during(tool, toolContext({ signal: stop.signal }), () => asking.answer(form, never));
    assert.deepEqual(end, { action: "cancel" });
  });
});
