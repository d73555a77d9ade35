import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type SessionKey, silentLog } from "@talaria/protocol";
import type { Stranded, TurnStore } from "@talaria/store";
import { startSweeper } from "./sweeper.ts";

const keyOf = (n: number) => brandAs<SessionKey>(`session-${n}`);
const strandedAt = (n: number): Stranded => ({ sessionKey: keyOf(n), fence: n });

describe("the sweeper", () => {
  /** Sweeps until `count` sessions were woken, or for ever to count what comes after that. */
  async function sweep(stranded: TurnStore["stranded"], count: number): Promise<readonly SessionKey[]> {
    const woken: SessionKey[] = [];
    const enough = Promise.withResolvers<void>();
    const rewake = async (key: SessionKey) => {
      woken.push(key);
      if (woken.length === count) enough.resolve();
    };
    const sweeper = startSweeper({ stranded }, { rewake }, 1, Math.random, silentLog);
    await enough.promise;
    await sweeper.stop();
    return woken;
  }

  it("wakes every session of every page, one page after the other", async () => {
    const asked: (SessionKey | undefined)[] = [];
    const stranded: TurnStore["stranded"] = async (after) => {
      asked.push(after);
      const n = asked.length;
      return { sessions: [strandedAt(2 * n - 1), strandedAt(2 * n)], ...(n < 3 ? { next: keyOf(2 * n) } : {}) };
    };
    assert.deepEqual((await sweep(stranded, 6)).slice(0, 6), [1, 2, 3, 4, 5, 6].map(keyOf));
    assert.deepEqual(asked.slice(0, 3), [undefined, keyOf(2), keyOf(4)]);
  });

  it("goes on where it failed, and begins again at the end", async () => {
    const asked: (SessionKey | undefined)[] = [];
    const stranded: TurnStore["stranded"] = async (after) => {
      asked.push(after);
      if (asked.length === 2) throw new Error("away");
      return { sessions: [strandedAt(asked.length)], ...(asked.length === 1 ? { next: keyOf(1) } : {}) };
    };
    await sweep(stranded, 3);
    assert.deepEqual(asked.slice(0, 4), [undefined, keyOf(1), keyOf(1), undefined]);
  });
});
