import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, instantOf, type SessionKey } from "@talaria/protocol";
import { stuckWhileServed } from "./stuck-while-served.ts";

const now = Date.parse("2026-11-22T12:00:00Z");
const ago = (ms: number) => instantOf(now - ms);
const worker = (upMs: number) => ({ kind: "worker", startedAt: ago(upMs) }) as const;

function waiting(waitedMs: number, more: { readonly setAsideAt?: ReturnType<typeof instantOf> } = {}) {
  const sessionKey = brandAs<SessionKey>("web/cc");
  return { sessionKey, waiting: 1, turns: 0, asking: false, running: false, waitedMs, ...more };
}

describe("a session that waits", () => {
  it("is no sign of trouble while the installation was stopped, and just after a start", () => {
    const gateway = { kind: "gateway", startedAt: ago(900_000) } as const;
    assert.deepEqual(stuckWhileServed([waiting(600_000)], [gateway, worker(5_000)], now), []);
  });

  it("is stuck by the time for which a worker could have taken it", () => {
    const [found] = stuckWhileServed([waiting(600_000)], [worker(5_000), worker(90_000)], now);
    assert.equal(found?.waitedMs, 90_000);
    assert.equal(stuckWhileServed([waiting(70_000)], [worker(900_000)], now)[0]?.waitedMs, 70_000);
  });

  it("is shown where no worker runs at all, and where it was given up", () => {
    assert.equal(stuckWhileServed([waiting(600_000)], [], now)[0]?.waitedMs, 600_000);
    assert.equal(stuckWhileServed([waiting(600_000, { setAsideAt: ago(1_000) })], [worker(1_000)], now).length, 1);
  });
});
