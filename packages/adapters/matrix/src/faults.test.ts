import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Clock, systemClock } from "@talaria/protocol";
import { codeOf, messageOf, RecordingHost } from "@talaria/testkit";
import { conversation, makeWorld, message, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();

const texts = (host: RecordingHost) => host.events.map((event) => messageOf(event).markdown);

describe("when the homeserver or the connection fails", () => {
  it("fetches what a limited sync left out, in order, after a restart too", async () => {
    const { server, room, ada, make } = await makeWorld();
    const adapter = make();
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    room.say(ada, "before");
    await host.recorded(1);
    await adapter.stop();
    for (let n = 0; n < 230; n += 1) room.say(ada, `missed ${n}`);
    const again = make();
    await again.start(host);
    await host.recorded(231);
    assert.deepEqual(
      texts(host).slice(1),
      Array.from({ length: 230 }, (_, n) => `missed ${n}`),
    );
    await again.stop();
    await server.stop();
  });

  it("does not fetch what is older than worth it, also among younger events with odd times", async () => {
    const { server, room, ada, make } = await makeWorld({ deps: { catchUpMs: 60_000 } });
    const adapter = make();
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    await adapter.stop();
    for (let n = 0; n < 120; n += 1) room.say(ada, n === 60 ? "forged" : `missed ${n}`, n === 60 ? { at: 1 } : {});
    const again = make();
    await again.start(host);
    await host.recorded(119);
    assert.equal(texts(host)[0], "missed 0");
    assert.ok(!texts(host).includes("forged"));
    await again.stop();
    await server.stop();
  });

  it("holds the first words in a room until the homeserver answers again, and knows then who is there", async () => {
    const sleep: Clock["sleep"] = (ms, during) => systemClock.sleep(Math.min(ms, 5), during);
    const { server, ada, make } = await makeWorld({ deps: { clock: { ...systemClock, sleep } } });
    const room = server.room({ people: [ada] });
    const adapter = make();
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    const away = { kind: "answer", status: 502, body: "<html>proxy</html>", effect: "none" } as const;
    let isAway = true;
    let asked = 0;
    const failing = (route: string) => () => {
      if (route === "whoami") asked += 1;
      return isAway;
    };
    for (const route of ["members", "state", "whoami"]) server.fail(route, away, 100_000, failing(route));
    room.say(ada, "hello");
    while (asked < 3) await systemClock.sleep(5);
    assert.deepEqual(host.events, []);
    isAway = false;
    const [event] = await host.recorded(1);
    assert.equal(event?.conversation.kind, "direct");
    await adapter.stop();
    await server.stop();
  });

  it("posts one message for one delivery, however often it is tried", async () => {
    await using world = await openWorld();
    const { server, room, adapter } = world;
    server.fail("send", { kind: "drop", effect: "done" });
    assert.equal(await codeOf(adapter.send(message(room.id, "once"), signal)), "unavailable");
    const sent = await adapter.send(message(room.id, "once"), signal);
    assert.deepEqual(
      room.botMessages().map(({ id, text }) => [id, text]),
      [[sent.messageId, "once"]],
    );
  });

  it("says that nothing was posted when the upload of a file fails", async () => {
    await using world = await openWorld();
    const { server, room, adapter, files } = world;
    files.a = Buffer.from("a");
    server.fail("upload", { kind: "answer", status: 503, body: "<html>busy</html>", effect: "none" });
    const attachments = [{ name: "a.txt", mimeType: "text/plain", ref: "a" as never }];
    const failure = adapter.send(message(room.id, "see", { attachments }), signal);
    await assert.rejects(failure, { code: "unavailable", effect: "none" });
    assert.deepEqual(room.botMessages(), []);
  });

  it("maps what the homeserver answers to errors that carry a decision", async () => {
    await using world = await openWorld();
    const { server, room, adapter } = world;
    const cases = [
      { status: 403, errcode: "M_FORBIDDEN", code: "forbidden" },
      { status: 404, errcode: "M_NOT_FOUND", code: "not_found" },
      { status: 413, errcode: "M_TOO_LARGE", code: "too_large" },
      { status: 500, errcode: "M_UNKNOWN", code: "unavailable" },
      { status: 502, errcode: undefined, code: "unavailable" },
      { status: 400, errcode: "M_BAD_JSON", code: "invalid_request" },
      { status: 429, errcode: "M_LIMIT_EXCEEDED", code: "rate_limited" },
    ];
    for (const { status, errcode, code } of cases) {
      const body = errcode === undefined ? { body: "<html>proxy</html>" } : { errcode };
      server.fail("send", { kind: "answer", status, ...body, effect: "none" });
      assert.equal(await codeOf(adapter.send(message(room.id, code), signal)), code);
    }
    assert.equal(await codeOf(adapter.send(message("no room", "x"), signal)), "invalid_request");
    const elsewhere = { conversation: conversation(room.id), messageId: "../../x" as never };
    assert.equal(await codeOf(Promise.resolve(adapter.edit?.(elsewhere, "x", signal))), "invalid_request");
  });

  it("asks for an operator when the token is revoked, and says so with the next start", async () => {
    const { server, make } = await makeWorld();
    const adapter = make();
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    server.revokeTokens();
    await host.until(() => host.states.at(-1)?.status === "needs-operator", "an operator is asked for");
    await adapter.stop();
    await assert.rejects(make().start(host), { code: "unauthorized" });
    await server.stop();
  });

  it("logs in once with a password, keeps the device, and logs in again when the login was ended", async () => {
    const server = (await makeWorld()).server;
    const settings = {
      homeserver: server.url,
      accessToken: undefined,
      user: server.bot.userId,
      password: server.bot.password,
    };
    const world = await makeWorld({ settings });
    const host = new RecordingHost(30_000);
    for (const expected of [1, 1, 2]) {
      const adapter = world.make();
      await adapter.start(host);
      await adapter.stop();
      assert.equal(server.calls.filter(({ route }) => route === "login").length, expected);
      if (expected === 1 && server.calls.filter(({ route }) => route === "whoami").length > 0) server.revokeTokens();
    }
    await world.server.stop();
    await server.stop();
  });

  it("goes on after a proxy's page instead of JSON, and honours the wait it is asked for", async () => {
    await using world = await openWorld();
    const { server, room, ada, host } = world;
    server.fail("sync", { kind: "answer", status: 200, body: "<html>hello</html>", effect: "none" });
    server.fail("sync", { kind: "answer", status: 429, errcode: "M_LIMIT_EXCEEDED", retryAfterMs: 20, effect: "none" });
    server.dropSyncs();
    room.say(ada, "still there?");
    await host.until(() => texts(host).includes("still there?"), "the message");
  });
});
