import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { startDialectServer, words } from "@talaria/testkit";
import { createModel } from "../index.ts";
import { answerOf, testClock } from "../model.fixture.ts";
import { cacheKeyOf } from "./cache-key.ts";
import { CacheSpans } from "./cache-span.ts";

const minuteMs = 60_000;
const session = brandAs<SessionKey>("telegram:main/42");

it("keeps for an hour what people come back to after more than five minutes, until they stay away", () => {
  const clock = testClock();
  const spans = new CacheSpans(clock);
  const pauses: readonly (readonly [minutes: number, span: string])[] = [
    [0, "5m"],
    [0.1, "5m"],
    [4.9, "5m"],
    [6, "1h"],
    [0.1, "1h"],
    [59, "1h"],
    [61, "5m"],
    [1, "5m"],
    [30, "1h"],
  ];
  for (const [minutes, span] of pauses) {
    clock.nowMs += minutes * minuteMs;
    assert.equal(spans.of(session), span, `${minutes} minutes`);
  }
  assert.equal(spans.of(brandAs<SessionKey>("another")), "5m");
  assert.equal(spans.of(session, "5m"), "5m", "as configured");
  assert.equal(new CacheSpans(clock).of(session, "1h"), "1h", "as configured");
});

it("asks Claude for an hour from the second pause on, for the system prompt and the conversation alike", async () => {
  await using server = await startDialectServer({ dialect: "anthropic", apiKeys: ["k"], respond: () => words("ok") });
  const clock = { nowMs: 0, now: () => clock.nowMs, elapsed: () => clock.nowMs, sleep: systemClock.sleep };
  const config = { provider: "anthropic", baseUrl: server.url, apiKey: "k", model: "claude-opus-5" } as const;
  const model = createModel(config, { clock, log: silentLog });
  for (const minutes of [0, 10, 1]) {
    clock.nowMs += minutes * minuteMs;
    assert.equal((await answerOf(model)).text, "ok");
  }
  const marks = server.requests.map(({ body }) => [
    (body.system as readonly { readonly cache_control: unknown }[])[0]?.cache_control,
    body.cache_control,
  ]);
  const [short, hour] = [{ type: "ephemeral" }, { type: "ephemeral", ttl: "1h" }];
  assert.deepEqual(marks, [
    [short, short],
    [hour, hour],
    [hour, hour],
  ]);
  assert.deepEqual(server.flaws, []);
});

it("forgets the session that was idle for longest when there are too many", () => {
  const clock = testClock();
  const spans = new CacheSpans(clock);
  spans.of(session);
  for (let number = 0; number < 10_000; number += 1) spans.of(brandAs<SessionKey>(`session ${number}`));
  clock.nowMs += 6 * minuteMs;
  assert.equal(spans.of(session), "5m");
  assert.equal(spans.of(brandAs<SessionKey>("session 9999")), "1h");
});

it("gives sessions keys that providers take, one each, and that name nobody", () => {
  const matrix = "matrix:main/!room:example.org/$thread-of-a-very-long-name-that-goes-on-and-on/@ada:example.org";
  const keys = ["a", matrix, `${matrix}/2`].map((key) => cacheKeyOf(brandAs<SessionKey>(key)));
  assert.equal(new Set(keys).size, keys.length);
  for (const key of keys) assert.match(key, /^[\w-]{43}$/);
  assert.equal(cacheKeyOf(brandAs<SessionKey>(matrix)), keys[1], "the same each time");
});
