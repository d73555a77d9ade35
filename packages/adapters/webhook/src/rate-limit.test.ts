import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AccountId } from "@talaria/protocol";
import { brandAs } from "@talaria/protocol";
import { adapterDeps, createSimulatedClock, RecordingHost } from "@talaria/testkit";
import { createWebhookAdapter } from "./adapter.ts";
import { RouteLimits } from "./rate-limit.ts";
import { hexOf, nowMs, routeWith } from "./testing/routes.ts";

describe("a route's budgets", () => {
  it("let a burst pass, and then as many per minute, evenly", () => {
    const limits = new RouteLimits({ perMinute: 6, burst: 2 });
    const passes = (atMs: number) => limits.waitMs(true, atMs);
    assert.deepEqual([passes(0), passes(0), passes(0)], [0, 0, 10_000]);
    assert.equal(passes(9_999), 1);
    assert.equal(passes(10_000), 0);
    assert.equal(passes(10_000), 10_000);
    assert.deepEqual([passes(600_000), passes(600_000), passes(600_000)], [0, 0, 10_000], "never more than the burst");
  });

  it("accept a clock that goes back", () => {
    const limits = new RouteLimits({ perMinute: 6, burst: 1 });
    limits.waitMs(true, 100_000);
    assert.ok(limits.waitMs(true, 0) <= 10_000);
    assert.equal(limits.waitMs(true, 10_000), 0);
  });

  it("let any number of proven requests pass where none is set", () => {
    const limits = new RouteLimits(undefined);
    for (let n = 0; n < 10_000; n += 1) assert.equal(limits.waitMs(true, 0), 0);
  });
});

describe("a route with a rate", () => {
  /** Posts with a signature that is right or wrong; each under an id of its own. */
  async function startRoute(config: Parameters<typeof routeWith>[0] = {}) {
    const clock = createSimulatedClock(nowMs);
    const host = new RecordingHost(1_000);
    const deps = adapterDeps({ id: brandAs<AccountId>("webhook-ci"), clock });
    const adapter = createWebhookAdapter(routeWith(config), { ...deps, replyOf: async () => undefined });
    await adapter.start(host);
    let sent = 0;
    const post = (isSigned: boolean) => {
      sent += 1;
      const body = JSON.stringify({ text: `event ${sent}` });
      const headers = { "x-event-id": `d-${sent}`, "x-signature-256": hexOf(isSigned ? body : `${body}x`) };
      const request = new Request("http://gateway/", { method: "POST", body, headers });
      return adapter.routes?.()[0]?.handle(request, {}) as Promise<Response>;
    };
    return { clock, host, post };
  }

  it("says how long to wait, records nothing, and passes again after that", async () => {
    const { clock, host, post } = await startRoute({ rate: { perMinute: 30, burst: 2 } });
    assert.deepEqual([(await post(true)).status, (await post(true)).status], [202, 202]);
    const refused = await post(true);
    assert.equal(refused.status, 429);
    assert.equal(refused.headers.get("retry-after"), "2");
    assert.match(((await refused.json()) as { error: string }).error, /try again in 2 s/);
    assert.equal(host.events.length, 2);
    await clock.advance(2_000);
    assert.equal((await post(true)).status, 202);
  });

  it("passes what is proven while a thousand wrong secrets come in", async () => {
    const { host, post } = await startRoute({ rate: { perMinute: 30, burst: 5 } });
    const answers: number[] = [];
    for (let n = 0; n < 1_000; n += 1) answers.push((await post(false)).status);
    assert.deepEqual([answers.filter((status) => status === 401).length, new Set(answers)], [5, new Set([401, 429])]);
    assert.equal((await post(true)).status, 202);
    assert.equal(host.events.length, 1);
  });

  it("slows down the unproven also where it sets no rate", async () => {
    const { post } = await startRoute();
    const answers: number[] = [];
    for (let n = 0; n < 100; n += 1) answers.push((await post(false)).status);
    assert.deepEqual([answers[0], answers.at(-1)], [401, 429]);
    assert.equal((await post(true)).status, 202);
  });
});
