import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { silentLog } from "@talaria/protocol";
import type { Store } from "@talaria/store";
import { startCatchUp } from "./catch-up.ts";

const settled = () => new Promise((resolve) => setImmediate(resolve));

function start(context: TestContext) {
  context.mock.timers.enable({ apis: ["setInterval", "setTimeout"] });
  let elapsed = 0;
  const reading: (() => void)[] = [];
  let times = 0;
  const store = {
    chats: { catchUp: async () => undefined },
    search: {
      catchUp: async () => {
        times += 1;
        await new Promise<void>((resolve) => reading.push(resolve));
      },
    },
  } as unknown as Pick<Store, "chats" | "search">;
  const catchUp = startCatchUp({ store, clock: { elapsed: () => elapsed }, log: silentLog });
  const pass = async (ms: number) => {
    elapsed += ms;
    context.mock.timers.tick(ms);
    await settled();
  };
  return {
    catchUp,
    pass,
    times: () => times,
    /** The one under way took so long. */
    async end(ms = 0) {
      await settled();
      elapsed += ms;
      reading.shift()?.();
      await settled();
    },
  };
}

describe("catching up with what was said", () => {
  it("reads once, some seconds after the first of several messages, and then nothing before the next half minute", async (context) => {
    const { catchUp, pass, times, end } = start(context);
    await end();
    catchUp.said();
    await pass(2_000);
    catchUp.said();
    assert.equal(times(), 1, "it waits for the answer");
    await pass(1_000);
    assert.equal(times(), 2);
    await end();
    await pass(20_000);
    assert.equal(times(), 2, "nothing was said");
    await pass(10_000);
    assert.equal(times(), 3);
    const stopped = catchUp.stop();
    await end();
    await stopped;
  });

  it("reads again what was said while it was reading", async (context) => {
    const { catchUp, pass, times, end } = start(context);
    await settled();
    catchUp.said();
    await pass(100);
    assert.equal(times(), 1);
    await end();
    await pass(3_000);
    assert.equal(times(), 2);
    const stopped = catchUp.stop();
    await end();
    await stopped;
  });

  it("rests twenty times as long as it took, and no longer than half a minute", async (context) => {
    const { catchUp, pass, times, end } = start(context);
    await end(1_000);
    catchUp.said();
    await pass(19_000);
    assert.equal(times(), 1);
    await pass(1_000);
    assert.equal(times(), 2);
    await end(60_000);
    catchUp.said();
    await pass(10_000);
    assert.equal(times(), 3);
    const stopped = catchUp.stop();
    await end();
    await stopped;
  });

  it("reads nothing more once it was stopped", async (context) => {
    const { catchUp, pass, times, end } = start(context);
    await settled();
    catchUp.said();
    const stopped = catchUp.stop();
    await end();
    await stopped;
    catchUp.said();
    await pass(120_000);
    assert.equal(times(), 1);
  });
});
