import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isGatewayError, systemClock } from "@talaria/protocol";
import { RecordingHost } from "@talaria/testkit";
import { answerTo, never, startStage, textOf } from "./testing/stage.ts";
import { ada, makeWorld } from "./testing/world.ts";

describe("the connection to the mailbox", () => {
  it("hears of mail while it waits, without asking", async () => {
    await using stage = await startStage();
    await stage.host.until(() => stage.server.imap.isIdling, "it waits");
    const searches = () => stage.server.commands.filter((command) => command === "UID SEARCH").length;
    const before = searches();
    await stage.host.calm();
    assert.equal(searches(), before);
    const event = await stage.next(() => void stage.server.say(ada.from, "now"));
    assert.equal(textOf(event), "now");
  });

  it("begins with what comes after the first start, and later takes what came while it was away", async () => {
    const world = await makeWorld();
    world.server.say(ada.from, "long ago", { receivedAt: new Date(Date.now() - 60 * 60_000) });
    const host = new RecordingHost(30_000);
    const first = world.make();
    await first.start(host);
    await host.until(() => world.server.imap.isIdling, "it waits");
    await first.stop();
    world.server.say(ada.from, "very old", { receivedAt: new Date(Date.now() - 3 * 24 * 60 * 60_000) });
    world.server.say(ada.from, "while away");
    const second = world.make();
    await second.start(host);
    await host.recorded(1);
    assert.deepEqual(host.events.map(textOf), ["while away"]);
    await second.stop();
    await world.server.stop();
  });

  it("comes back after a kick, a cut and a server that was away, and misses nothing", async () => {
    await using stage = await startStage();
    const { server, host } = stage;
    const troubles = [() => server.imap.kick(), () => server.imap.cut(), () => server.imap.goOffline()];
    for (const [n, trouble] of troubles.entries()) {
      await host.until(() => server.imap.isIdling, "it waits");
      trouble();
      server.say(ada.from, `meanwhile ${n}`);
      await systemClock.sleep(30);
      server.imap.goOnline();
      await host.recorded(n + 1);
    }
    assert.deepEqual(host.events.map(textOf), ["meanwhile 0", "meanwhile 1", "meanwhile 2"]);
  });

  it("notices a connection on which nobody answers any more", async () => {
    await using stage = await startStage({ checkEveryMs: 50, answerWithinMs: 300 }, { clock: systemClock });
    const { server, host } = stage;
    await host.until(() => server.imap.isIdling, "it waits");
    server.imap.deafen();
    server.say(ada.from, "into the void");
    const [event] = await host.recorded(1);
    assert.equal(textOf(event!), "into the void");
    assert.ok(host.states.some((state) => state.status === "reconnecting" && state.code === "unavailable"));
  });

  it("asks an operator about a refused password, and not about a refused moment", async () => {
    const world = await makeWorld();
    const host = new RecordingHost(30_000);
    world.server.failImap("AUTHENTICATE", { kind: "answer", status: "NO", text: "[UNAVAILABLE] try later" });
    const adapter = world.make();
    await adapter.start(host);
    await host.until(() => host.states.at(-1)?.status === "connected", "it is connected in the end");
    await adapter.stop();
    const settings = { ...world.server.settings };
    const wrong = world.make({ imap: { ...settings.imap, password: "wrong" } });
    await assert.rejects(wrong.start(host), (error) => isGatewayError(error, "unauthorized"));
    const last = host.states.at(-1);
    assert.equal(last?.status, "needs-operator");
    assert.match(last?.status === "needs-operator" ? last.hint : "", /app password/);
    await wrong.stop();
    const missing = world.make({ mailbox: "Nowhere" });
    await assert.rejects(missing.start(host), (error) => isGatewayError(error, "invalid_request"));
    await missing.stop();
    await world.server.stop();
  });

  it("logs in with a token where there is no password", async () => {
    const world = await makeWorld();
    const { imap, smtp } = world.server.settings;
    const token = world.server.password;
    const withToken = ({ host, port, user }: typeof imap) => ({ host, port, user, secure: false, token });
    const adapter = world.make({ imap: withToken(imap), smtp: withToken(smtp) });
    const host = new RecordingHost(30_000);
    await adapter.start(host);
    world.server.say(ada.from, "hello");
    const [event] = await host.recorded(1);
    await adapter.send(answerTo(event!, "with a token"), never);
    await world.server.waitForMail("with a token");
    await adapter.stop();
    await world.server.stop();
  });

  it("gives up on a mail that ends the connection whenever it is read, notes it, and goes on", async () => {
    await using stage = await startStage();
    const { server, host } = stage;
    await stage.next(() => void server.say(ada.from, "first"));
    await host.until(() => server.inbox.mails.every(({ flags }) => flags.has("\\Seen")), "all is settled");
    server.failStructure("poison");
    server.say(ada.from, "poison", { messageId: "<poison@people.test>", subject: "poison" });
    server.say(ada.from, "after it");
    await host.until(() => host.events.length >= 3, "the mail after it is recorded");
    assert.match(textOf(host.events[1]!), /not read: it could not be taken apart/);
    assert.equal(textOf(host.events[2]!), "after it");
  });
});
