import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silentLog } from "@talaria/protocol";
import type { OperationsStore } from "@talaria/store";
import { startRetention } from "./retention.ts";

const hourMs = 3_600_000;

describe("retention", () => {
  it("prunes at start and every hour, never twice at a time, and ends with its gateway", async (context) => {
    context.mock.timers.enable({ apis: ["setInterval"] });
    const runs: { readonly days: number; readonly signal: AbortSignal; end(): void }[] = [];
    const prune: OperationsStore["prune"] = async (days, signal) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      runs.push({ days, signal, end: resolve });
      await promise;
      if (runs.length === 1) throw new Error("the database is away");
      return { removed: 1, failed: [] };
    };
    const retention = startRetention({ prune }, 30, silentLog);
    assert.deepEqual(
      runs.map(({ days }) => days),
      [30],
    );
    context.mock.timers.tick(hourMs);
    assert.equal(runs.length, 1, "the first one still runs");
    runs[0]?.end();
    await new Promise((resolve) => setImmediate(resolve));
    context.mock.timers.tick(hourMs);
    assert.equal(runs.length, 2, "also after one that failed");
    const stopped = retention.stop();
    assert.equal(runs[1]?.signal.aborted, true);
    runs[1]?.end();
    await new Promise((resolve) => setImmediate(resolve));
    context.mock.timers.tick(hourMs);
    await stopped;
    assert.equal(runs.length, 2);
  });
});
