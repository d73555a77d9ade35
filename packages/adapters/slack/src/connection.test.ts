import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "@talaria/protocol";
import { openWorld, type WorldOptions } from "./testing/world.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

/** A world whose account is connected again after something went wrong. */
async function broken(options: WorldOptions = {}) {
  const world = await openWorld(options);
  const statuses = () => world.host.states.map(({ status }) => status);
  const isBack = () =>
    statuses().includes("reconnecting") && statuses().lastIndexOf("connected") > statuses().lastIndexOf("reconnecting");
  const back = () => world.host.until(isBack, "the account is connected again");
  return { ...world, statuses, back };
}

describe("a connection to Slack", () => {
  before(() => process.on("unhandledRejection", note));
  after(() => {
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, [], "unhandled rejections");
  });

  it("comes back through 5xx on apps.connections.open, told as reconnecting", async () => {
    await using world = await broken();
    world.server.fail("apps.connections.open", { kind: "answer", code: 503, effect: "none" }, 4);
    world.server.socketMode.drop();
    await world.back();
    const attempts = world.host.states.flatMap((state) => (state.status === "reconnecting" ? [state.attempt] : []));
    assert.deepEqual(attempts, [1, 2, 3, 4, 5]);
    world.direct.say(world.ada, "still there?");
    await world.host.recorded(1);
  });

  it("asks for an operator when apps.connections.open answers invalid_auth, and rejects nothing unheard", async () => {
    await using world = await broken();
    const refusal = { kind: "answer", code: 200, description: "invalid_auth", effect: "none" } as const;
    world.server.fail("apps.connections.open", refusal, 9);
    world.server.socketMode.drop();
    await world.host.until(() => world.statuses().at(-1) === "needs-operator", "an operator is asked for");
    const calls = world.server.calls.of("apps.connections.open").length;
    await delay(100);
    assert.equal(world.server.calls.of("apps.connections.open").length, calls, "it tries no more");
  });

  it("waits as long as a 429 on apps.connections.open says", async () => {
    const waits: number[] = [];
    const clock = {
      now: systemClock.now,
      elapsed: systemClock.elapsed,
      sleep: (ms: number, signal?: AbortSignal) => {
        waits.push(ms);
        return systemClock.sleep(ms === 60_000 ? ms : Math.min(ms, 5), signal);
      },
    };
    await using world = await broken({ deps: { clock } });
    world.server.fail("apps.connections.open", { kind: "answer", code: 429, retryAfter: 30, effect: "none" });
    world.server.socketMode.drop();
    await world.back();
    assert.ok(waits.includes(30_000), `waited ${waits.join(", ")}`);
  });

  it("leaks no sockets over fifteen losses of every kind", async () => {
    await using world = await broken();
    const { socketMode } = world.server;
    for (let n = 0; n < 15; n += 1) {
      const before = socketMode.opened;
      if (n % 3 === 0) socketMode.refresh();
      else if (n % 3 === 1) socketMode.drop();
      else socketMode.raw(JSON.stringify({ type: "disconnect", reason: "too_many_websockets" }));
      await world.host.until(() => socketMode.opened > before && socketMode.open === 1, `connection ${n} is replaced`);
      await delay(20);
    }
    assert.ok(socketMode.mostAtOnce <= 2, `${socketMode.mostAtOnce} sockets at once`);
  });

  it("opens the next socket before the old one closes when Slack asks for a new one", async () => {
    await using world = await broken();
    const { socketMode } = world.server;
    socketMode.refresh("warning");
    await world.host.until(() => socketMode.opened === 2 && socketMode.open === 1, "the socket is replaced");
    assert.equal(socketMode.mostAtOnce, 2, "no gap");
    assert.deepEqual(world.statuses(), ["connecting", "connected"], "nobody is told of the ordinary");
    world.direct.say(world.ada, "after the refresh");
    await world.host.recorded(1);
  });

  it("notices a socket on which nothing comes through any more", async () => {
    await using world = await broken({ settings: { pingTimeoutMs: 300 } });
    await delay(250);
    world.server.socketMode.becomeHalfOpen();
    await world.back();
    world.direct.say(world.ada, "hello again");
    const seen = () => world.host.events.length > 0;
    await world.host.until(seen, "an event comes over the new socket");
  });

  it("gives up a socket that is never greeted", async () => {
    const sleep = (ms: number, signal?: AbortSignal) =>
      systemClock.sleep(ms === 60_000 ? 200 : Math.min(ms, 5), signal);
    await using world = await broken({
      deps: { clock: { now: systemClock.now, elapsed: systemClock.elapsed, sleep } },
    });
    const { socketMode } = world.server;
    socketMode.greet(false);
    socketMode.drop();
    await world.host.until(() => socketMode.opened >= 3, "another attempt is made");
    socketMode.greet(true);
    await world.back();
    assert.ok(socketMode.mostAtOnce <= 2, `${socketMode.mostAtOnce} sockets at once`);
  });

  it("stops while it reconnects, and while nobody answers", async () => {
    const world = await broken({ settings: { pingTimeoutMs: 20_000 } });
    world.server.socketMode.becomeHalfOpen();
    const began = performance.now();
    await world.adapter.stop();
    assert.ok(performance.now() - began < 5_000, "the farewell is not waited for");
    assert.equal(world.statuses().at(-1), "stopped");
    await world.server.stop();
  });

  it("survives envelopes that make no sense", async () => {
    await using world = await broken();
    const { socketMode } = world.server;
    const nonsense = [
      "",
      "null",
      "[]",
      "{",
      '"text"',
      "{}",
      '{"type":7}',
      '{"type":"events_api"}',
      '{"type":"events_api","payload":null}',
      '{"type":"events_api","payload":{"event":{"type":"close"}}}',
      '{"type":"error"}',
      '{"type":"events_api","envelope_id":"x","payload":{"event":{"type":"message","channel":"../x","ts":"1"}}}',
      '{"type":"interactive","envelope_id":"y","payload":{"type":"block_actions"}}',
      '{"type":"slash_commands","envelope_id":"z","payload":{"command":"/talaria"}}',
    ];
    for (const text of nonsense) socketMode.raw(text);
    socketMode.raw(Buffer.from([1, 2, 3]));
    world.direct.say(world.ada, "sense");
    const [event] = await world.host.recorded(1);
    assert.equal(event?.type, "message.created");
    assert.deepEqual(world.statuses(), ["connecting", "connected"]);
  });

  it("hands over each message once when it comes twice, and all when they come in the wrong order", async () => {
    await using world = await broken();
    world.server.deliveries.reverseNext();
    world.channel.say(world.ada, "first");
    const second = world.channel.say(world.ada, "second");
    world.channel.redeliver(second);
    world.channel.say(world.ada, "third");
    await world.host.until(
      () => world.host.events.some((e) => e.type === "message.created" && e.message.markdown === "third"),
      "all came",
    );
    assert.equal(new Set(world.host.events.map(({ id }) => id)).size, 3);
  });

  it("fetches what was said while it was not running, once and in order, threads too", async () => {
    await using world = await broken({ redelivery: { pausesMs: [] } });
    const { server, ada, channel, adapter, host } = world;
    const root = channel.say(ada, "before");
    channel.say(ada, "below", { thread: root });
    await host.recorded(2);
    await adapter.stop();
    host.events.length = 0;
    server.deliveries.transport = undefined;
    for (let n = 0; n < 120; n += 1) channel.say(ada, `missed ${n}`);
    channel.say(ada, "missed below", { thread: root });
    server.sayAsBot(channel, "our own words");
    server.deliveries.transport = server.socketMode;
    const again = world.make();
    await again.start(host);
    await host.until(() => host.events.length >= 121, "everything that was missed");
    await again.stop();
    const texts = host.events.flatMap((event) => (event.type === "message.created" ? [event.message.markdown] : []));
    const unique = [...new Set(texts)];
    assert.deepEqual(
      unique.filter((text) => text !== "missed below"),
      Array.from({ length: 120 }, (_, n) => `missed ${n}`),
    );
    assert.ok(unique.includes("missed below"));
  });

  it("reads what was said while the socket opened before what comes over it", async () => {
    await using world = await broken({ redelivery: { pausesMs: [60_000] } });
    const { server, direct, ada, host } = world;
    direct.say(ada, "before");
    await host.recorded(1);
    server.fail("apps.connections.open", { kind: "delay", ms: 300 });
    server.socketMode.drop();
    await host.until(() => server.calls.of("apps.connections.open").length === 2, "a socket is asked for");
    await delay(100);
    direct.say(ada, "meanwhile");
    await world.back();
    direct.say(ada, "afterwards");
    await host.recorded(3);
    const texts = host.events.map((event) => (event.type === "message.created" ? event.message.markdown : event.type));
    assert.deepEqual(texts.slice(0, 3), ["before", "meanwhile", "afterwards"]);
  });

  it("fetches everywhere after a long silence in which it tried in vain", async () => {
    let ahead = 0;
    const clock = {
      now: systemClock.now,
      elapsed: () => systemClock.elapsed() + ahead,
      sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms === 60_000 ? ms : Math.min(ms, 5), signal),
    };
    await using world = await broken({ deps: { clock }, redelivery: { pausesMs: [] } });
    const { server, ada, host } = world;
    const channels = Array.from({ length: 15 }, (_, n) => server.channel(`channel-${n}`));
    for (const channel of channels) channel.say(ada, "before");
    await host.recorded(15);
    server.fail("apps.connections.open", { kind: "answer", code: 503, effect: "none" }, 9);
    server.deliveries.transport = undefined;
    for (const channel of channels) channel.say(ada, "missed");
    server.deliveries.transport = server.socketMode;
    server.socketMode.drop();
    await host.until(() => world.statuses().includes("reconnecting"), "the loss is noticed");
    ahead = 120_000;
    await host.recorded(30);
  });

  it("does not fetch what is older than the house wants", async () => {
    await using world = await broken({ deps: { catchUpMs: 0 }, redelivery: { pausesMs: [] } });
    world.channel.say(world.ada, "before");
    await world.host.recorded(1);
    await world.adapter.stop();
    world.server.deliveries.transport = undefined;
    world.channel.say(world.ada, "missed");
    await delay(1_100);
    world.host.events.length = 0;
    const again = world.make();
    world.server.deliveries.transport = world.server.socketMode;
    await again.start(world.host);
    await delay(200);
    await again.stop();
    assert.deepEqual(world.host.events, []);
  });
});
