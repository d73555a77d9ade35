import assert from "node:assert/strict";
import { it } from "node:test";
import { type Clock, silentLog } from "@talaria/protocol";
import { startDialectServer, type Trouble, words } from "@talaria/testkit";
import { createModel } from "../create-model.ts";
import { answerOf, request } from "../model.fixture.ts";
import { createLocalRests } from "../shared-rests.ts";

/** Time that only the test moves: nobody sleeps until anything. */
function stillClock(): Clock & { nowMs: number } {
  const clock = {
    nowMs: 1_000_000,
    now: () => clock.nowMs,
    elapsed: () => clock.nowMs,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
  };
  return clock;
}

/** Keys and what the server thinks of them. */
async function startPeer(troubles: Record<string, Trouble | undefined>, clock = stillClock()) {
  const server = await startDialectServer({ dialect: "anthropic", apiKeys: Object.keys(troubles) });
  const keyOf = (authorization: string | undefined) => (authorization ?? "").replace("Bearer ", "");
  server.respond = ({ headers }) => {
    const why = troubles[keyOf(headers.authorization)];
    return why === undefined ? words("fine") : [{ kind: "refuse", why, retryAfterSeconds: 30 }];
  };
  const apiKey = Object.keys(troubles);
  const deps = { clock, log: silentLog, rests: createLocalRests(clock) };
  const model = createModel({ provider: "anthropic", baseUrl: server.url, apiKey, model: "claude-opus-5" }, deps);
  const used = () => server.requests.map(({ headers }) => keyOf(headers.authorization));
  return { server, model, used, clock, deps, [Symbol.asyncDispose]: () => server.stop() };
}

it("uses the next key when one is refused, has no money or no requests left, and leaves that one alone", async () => {
  for (const [why, restMs] of [
    ["auth", 600_000],
    ["quota", 3_600_000],
    ["rate_limit", 30_000],
  ] as const) {
    const troubles: Record<string, Trouble | undefined> = { "key-one": why, "key-two": undefined };
    await using peer = await startPeer(troubles);
    assert.equal((await answerOf(peer.model)).text, "fine");
    assert.equal((await answerOf(peer.model)).text, "fine");
    assert.deepEqual(peer.used(), ["key-one", "key-two", "key-two"], why);
    troubles["key-one"] = undefined;
    peer.clock.nowMs += restMs;
    await answerOf(peer.model);
    assert.equal(peer.used().at(-1), "key-one", why);
  }
});

it("does not try other keys when the server is in trouble", async () => {
  await using peer = await startPeer({ "key-one": "overloaded", "key-two": undefined });
  const { end } = await answerOf(peer.model);
  assert.equal(end.type === "failed" && end.error.kind, "overloaded");
  assert.deepEqual(peer.used(), ["key-one"]);
});

it("says why when all keys rest, and asks the one that wakes first all the same", async () => {
  await using peer = await startPeer({ "key-one": "quota", "key-two": "rate_limit" });
  const { end } = await answerOf(peer.model);
  assert.equal(end.type === "failed" && end.error.kind, "rate_limit");
  assert.equal(end.type === "failed" && end.error.retryAfterMs, 30_000);
  await answerOf(peer.model);
  assert.deepEqual(peer.used(), ["key-one", "key-two", "key-two"]);
});

it("takes back what was shown before another key answers", async () => {
  await using peer = await startPeer({ "key-one": undefined, "key-two": undefined });
  let round = 0;
  peer.server.respond = () => {
    round += 1;
    return round === 1 ? [...words("half"), { kind: "error", why: "rate_limit" }] : words("whole");
  };
  const { events } = await answerOf(peer.model, request());
  assert.deepEqual(
    events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]),
    ["delta", "restart", "delta", "done"],
  );
});

it("knows from others which keys rest, by names that tell nothing about them", async () => {
  const names: string[] = [];
  const clock = stillClock();
  await using peer = await startPeer({ "key-one": "auth", "key-two": undefined }, clock);
  const { rests } = peer.deps;
  const watched = {
    ...rests,
    rest: (name: string, ms: number) => {
      names.push(name);
      return rests.rest(name, ms);
    },
  };
  const entry = {
    provider: "anthropic",
    baseUrl: peer.server.url,
    apiKey: ["key-one", "key-two"],
    model: "claude-opus-5",
  } as const;
  await answerOf(createModel(entry, { clock, log: silentLog, rests: watched }));
  await answerOf(createModel(entry, { clock, log: silentLog, rests }));
  assert.deepEqual(peer.used(), ["key-one", "key-two", "key-two"]);
  assert.match(String(names), /^key:[0-9a-f]{16}$/);
});
