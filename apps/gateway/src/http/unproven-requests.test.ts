import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UnprovenRequests } from "./unproven-requests.ts";

describe("requests without a proof yet", () => {
  const enter = (requests: UnprovenRequests, source: string, times: number, route = "/webhooks/ci") =>
    Array.from({ length: times }, () => requests.enter(route, source)).filter(Boolean).length;

  it("of one source leave room for others", () => {
    const requests = new UnprovenRequests();
    assert.equal(enter(requests, "192.0.2.1", 100), 32);
    assert.equal(enter(requests, "192.0.2.2", 10), 10);
    assert.equal(enter(requests, "192.0.2.3", 100), 22);
    requests.leave("/webhooks/ci", "192.0.2.2");
    assert.equal(enter(requests, "192.0.2.1", 1), 0);
    assert.equal(enter(requests, "192.0.2.3", 5), 1);
  });

  it("of one route leave room for the others", () => {
    const requests = new UnprovenRequests();
    assert.equal(enter(requests, "127.0.0.1", 100, "/webhooks/slow"), 64);
    assert.equal(enter(requests, "127.0.0.1", 100, "/platforms/slack"), 64);
  });

  it("are bounded over all routes", () => {
    const requests = new UnprovenRequests();
    const entered = Array.from({ length: 20 }, (_, n) => enter(requests, "127.0.0.1", 100, `/webhooks/${n}`));
    assert.equal(
      entered.reduce((sum, count) => sum + count),
      512,
    );
  });

  it("may all come from a proxy on this machine", () => {
    for (const source of ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
      assert.equal(enter(new UnprovenRequests(), source, 100), 64, source);
  });

  it("are forgotten when they end", () => {
    const requests = new UnprovenRequests();
    for (let n = 0; n < 1_000; n += 1) {
      assert.ok(requests.enter("/webhooks/ci", `192.0.2.${n}`));
      requests.leave("/webhooks/ci", `192.0.2.${n}`);
    }
    assert.equal(requests.remembered, 0);
  });
});
