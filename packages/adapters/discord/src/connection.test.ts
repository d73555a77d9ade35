import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { adapterDeps, codeOf, createSimulatedClock, hurriedClock, messageOf, RecordingHost } from "@talaria/testkit";
import { createDiscordAdapter } from "./adapter.ts";
import { discordConfigSchema } from "./config.ts";
import { accountId, makeWorld, openWorld } from "./testing/world.ts";
import { watchSilence } from "./watch-silence.ts";

const texts = (host: RecordingHost) => host.events.map((event) => messageOf(event).markdown);

describe("a lost connection", () => {
  it("is resumed and loses nothing", async () => {
    await using world = await openWorld();
    const { server, host, channel, ada } = world;
    server.gateway.dropConnections();
    channel.say(ada, "meanwhile");
    await host.recorded(1);
    assert.deepEqual(texts(host), ["meanwhile"]);
    assert.equal(server.gateway.resumes, 1);
    assert.equal(server.gateway.identifies, 1);
  });

  it("is made good by fetching what was missed, in order, when the session is gone", async () => {
    await using world = await openWorld();
    const { server, host, channel, direct, ada } = world;
    channel.say(ada, "one");
    direct.say(ada, "private one");
    await host.recorded(2);
    server.gateway.invalidateSessions();
    channel.say(ada, "two");
    direct.say(ada, "private two");
    channel.say(ada, "three");
    await host.until(() => server.gateway.identifies === 2, "a new session begins");
    channel.say(ada, "four");
    await host.recorded(6);
    const kind = (wanted: string) => host.events.filter(({ conversation }) => conversation.kind === wanted);
    assert.deepEqual(
      kind("group").map((event) => messageOf(event).markdown),
      ["one", "two", "three", "four"],
    );
    assert.deepEqual(
      kind("direct").map((event) => messageOf(event).markdown),
      ["private one", "private two"],
    );
    assert.equal(new Set(host.events.map(({ id }) => id)).size, 6);
  });

  it("is noticed when nothing comes through any more", async () => {
    await using world = await openWorld({ heartbeatMs: 300 });
    const { server, host, channel, ada } = world;
    server.gateway.becomeZombie();
    channel.say(ada, "into the void");
    await host.recorded(1);
    assert.deepEqual(texts(host), ["into the void"]);
  });
});

describe("events", () => {
  it("that come twice, or the newer before the older, are all handed over once", async () => {
    await using world = await openWorld();
    const { server, host, channel, ada } = world;
    let first = "";
    server.gateway.inReverse(() => {
      first = channel.say(ada, "one");
      channel.say(ada, "two");
      channel.say(ada, "three");
    });
    await host.recorded(3);
    channel.redeliver(first);
    channel.say(ada, "four");
    await host.recorded(4);
    assert.deepEqual(texts(host), ["three", "two", "one", "four"]);
  });
});

describe("a connection that only looks open", () => {
  it("is ended after three minutes without a sign", async () => {
    const clock = createSimulatedClock();
    const stopping = new AbortController();
    let last = clock.elapsed();
    let outcome = "watching";
    const watching = watchSilence(clock, () => last, stopping.signal).then(
      () => (outcome = "stopped"),
      (error: unknown) => (outcome = isGatewayError(error) ? error.code : "odd"),
    );
    for (let minute = 0; minute < 10; minute += 1) {
      last = clock.elapsed();
      await clock.advance(60_000);
    }
    assert.equal(outcome, "watching");
    for (let minute = 0; minute < 4; minute += 1) await clock.advance(60_000);
    await watching;
    assert.equal(outcome, "unavailable");
    stopping.abort();
  });
});

describe("a restart", () => {
  it("leaves alone what is older than is worth catching up", async () => {
    let now = Date.now();
    const { server, channel, ada, store } = await makeWorld({ now: () => now });
    const clock = { ...hurriedClock, now: () => now };
    const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
    const make = () => createDiscordAdapter(config, adapterDeps({ id: accountId, store, clock, catchUpMs: 60_000 }));
    const first = new RecordingHost(30_000);
    const before = make();
    await before.start(first);
    channel.say(ada, "before");
    await first.recorded(1);
    await before.stop();
    now += 1_000;
    channel.say(ada, "long ago");
    now += 120_000;
    channel.say(ada, "just now");
    const second = new RecordingHost(30_000);
    const after = make();
    await after.start(second);
    await second.recorded(1);
    await second.calm();
    assert.deepEqual(texts(second), ["just now"]);
    await after.stop();
    await server.stop();
  });

  it("fetches what came meanwhile, also in channels nobody used before, and nothing twice", async () => {
    const world = await makeWorld();
    const { server, channel, guild, ada, make } = world;
    const first = new RecordingHost(30_000);
    const before = make();
    await before.start(first);
    channel.say(ada, "before");
    await first.recorded(1);
    await before.stop();
    for (let n = 0; n < 120; n += 1) channel.say(ada, `missed ${n}`);
    server.channel(guild, "new").say(ada, "in a new channel");
    const { place } = server.forum(guild, "ideas").post(ada, "an idea", "in a new post");
    const second = new RecordingHost(30_000);
    const after = make();
    await after.start(second);
    await second.recorded(122);
    await second.calm();
    assert.equal(second.events.length, 122);
    const inGeneral = texts(second).filter((text) => text.startsWith("missed"));
    assert.deepEqual(
      inGeneral,
      Array.from({ length: 120 }, (_, n) => `missed ${n}`),
    );
    const post = second.events.find((event) => messageOf(event).markdown === "in a new post");
    assert.equal(post?.conversation.threadId, place.id);
    await after.stop();
    await server.stop();
  });

  it("fetches what somebody new wrote meanwhile once they write again", async () => {
    const { server, make } = await makeWorld();
    const before = make();
    await before.start(new RecordingHost(30_000));
    await before.stop();
    const bob = server.user("bob");
    const direct = server.direct(bob);
    direct.say(bob, "anybody there?");
    const host = new RecordingHost(30_000);
    const after = make();
    await after.start(host);
    direct.say(bob, "hello?");
    await host.recorded(2);
    await host.calm();
    assert.deepEqual(texts(host), ["anybody there?", "hello?"]);
    await after.stop();
    await server.stop();
  });

  it("hands over again what the host had not recorded", async () => {
    const { server, channel, ada, make } = await makeWorld();
    const first = new RecordingHost(30_000);
    const before = make();
    await before.start(first);
    first.refuse(Number.POSITIVE_INFINITY);
    channel.say(ada, "keep me");
    await first.until(() => first.offered.length > 1, "the event is offered again");
    await before.stop();
    const second = new RecordingHost(30_000);
    const after = make();
    await after.start(second);
    await second.recorded(1);
    assert.deepEqual(texts(second), ["keep me"]);
    assert.equal(second.events[0]?.id, first.offered[0]?.id);
    await after.stop();
    await server.stop();
  });
});

describe("what an operator has to mend", () => {
  it("is a bad token", async () => {
    const { server, make } = await makeWorld({ settings: { token: "wrong" } });
    const host = new RecordingHost(30_000);
    const adapter = make();
    assert.equal(await codeOf(adapter.start(host)), "unauthorized");
    assert.deepEqual(
      host.states.map(({ status }) => status),
      ["connecting", "needs-operator"],
    );
    await adapter.stop();
    await server.stop();
  });

  it("is an intent that nobody granted", async () => {
    const { server, make } = await makeWorld({ messageContent: false });
    const host = new RecordingHost(30_000);
    const adapter = make();
    assert.equal(await codeOf(adapter.start(host)), "forbidden");
    const [, state] = host.states;
    assert.equal(state?.status, "needs-operator");
    assert.match(state?.status === "needs-operator" ? state.hint : "", /Message Content intent/);
    assert.equal(server.gateway.identifies, 0);
    await adapter.stop();
    await server.stop();
  });

  it("is a token that is reset while we are connected", async () => {
    await using world = await openWorld();
    const { server, host } = world;
    server.gateway.closeConnections(4_004);
    await host.until(() => host.states.at(-1)?.status === "needs-operator", "an operator is called");
  });
});

describe("the day's new sessions", () => {
  it("are not used up", async () => {
    const { server, make } = await makeWorld({ sessionStarts: { total: 50, resetAfterMs: 3_600_000 } });
    const host = new RecordingHost(30_000);
    const adapter = make();
    await adapter.start(host);
    const { status, code } = host.states.at(-1) as { status: string; code: string };
    assert.deepEqual([status, code, server.gateway.identifies], ["reconnecting", "rate_limited", 0]);
    await adapter.stop();
    await server.stop();
  });

  it("are spared when Discord ends one session after the other", async () => {
    await using world = await openWorld({ sessionStarts: { total: 52, resetAfterMs: 3_600_000 } });
    const { server, host } = world;
    server.gateway.invalidateSessions();
    await host.until(() => server.gateway.identifies === 2, "a second session begins");
    server.gateway.invalidateSessions();
    const isSpared = () =>
      host.states.some((state) => state.status === "reconnecting" && state.code === "rate_limited");
    await host.until(isSpared, "the rest is spared");
    assert.equal(server.gateway.identifies, 2);
  });
});
