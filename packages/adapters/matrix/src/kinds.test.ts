import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { GatewayError } from "@talaria/protocol";
import { RecordingHost } from "@talaria/testkit";
import { conversation, makeWorld, message, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const kindsIn = (host: RecordingHost) => host.kinds.map(({ conversationId, kind }) => `${conversationId} ${kind}`);

describe("a room whose people come and go", () => {
  it("tells the host of its kind when that changes, and no other time", async () => {
    await using world = await openWorld();
    const { server, host, ada, bob } = world;
    const cleo = server.person("cleo", "Cleo");
    const room = server.room({ people: [ada] });
    room.say(ada, "hello");
    await host.recorded(1);
    host.kinds.length = 0;
    for (const [who, membership] of [
      [bob, "join"],
      [cleo, "join"],
      [bob, "leave"],
      [cleo, "leave"],
    ] as const) {
      room.member(who, membership);
      const n = host.events.length + 1;
      room.say(ada, `after ${who} did ${membership}`);
      await host.recorded(n);
    }
    assert.deepEqual(kindsIn(host), [`${room.id} group`, `${room.id} direct`]);
  });

  it("tells before it hands over what was said after it, and again until the host has taken it", async () => {
    const { server, ada, bob, make } = await makeWorld();
    const room = server.room({ people: [ada] });
    class Refusing extends RecordingHost {
      refusals = 2;
      override async kindChanged(...given: Parameters<RecordingHost["kindChanged"]>): Promise<void> {
        if (this.refusals-- > 0) throw new GatewayError("the store is away", { code: "unavailable" });
        await super.kindChanged(...given);
      }
      override async accept(...given: Parameters<RecordingHost["accept"]>) {
        this.kinds.push({ ...given[0].conversation, title: "event" });
        return await super.accept(...given);
      }
    }
    const host = new Refusing(30_000);
    const adapter = make();
    await adapter.start(host);
    room.member(bob, "join");
    room.say(ada, "hello both");
    await host.recorded(1);
    assert.deepEqual(
      host.kinds.map(({ kind, title }) => [kind, title]),
      [
        ["group", undefined],
        ["group", "event"],
      ],
    );
    await adapter.stop();
    await server.stop();
  });

  it("tells of somebody who joined while it was down, also where the homeserver leaves out who it was", async () => {
    const { server, ada, bob, make } = await makeWorld();
    const [few, many] = [server.room({ people: [ada] }), server.room({ people: [ada] })];
    const before = new RecordingHost(30_000);
    const first = make();
    await first.start(before);
    for (const room of [few, many]) room.say(ada, "hello");
    await before.recorded(2);
    await first.stop();
    for (const room of [few, many]) room.member(bob, "join");
    for (let n = 0; n < 60; n += 1) many.post(ada, "m.room.topic", { topic: `${n}` }, { state_key: "" });
    const host = new RecordingHost(30_000);
    const adapter = make();
    await adapter.start(host);
    for (const room of [few, many])
      await host.until(() => kindsIn(host).includes(`${room.id} group`), "the room is a group");
    await adapter.stop();
    await server.stop();
  });

  it("does not post, or change, there what was written for two people", async () => {
    await using world = await openWorld();
    const { server, adapter, host, ada, bob } = world;
    const room = server.room({ people: [ada] });
    const direct = conversation(room.id, { kind: "direct" });
    const sent = await adapter.send(message(room.id, "for Ada", { conversation: direct }), signal);
    room.member(bob, "join");
    await host.until(() => kindsIn(host).includes(`${room.id} group`), "the room is a group");
    const refused = { code: "forbidden", effect: "none" };
    await assert.rejects(adapter.send(message(room.id, "the PIN", { conversation: direct }), signal), refused);
    await assert.rejects(async () => adapter.edit?.(sent, "the PIN", signal), refused);
    await adapter.send(message(room.id, "for both"), signal);
    assert.deepEqual(
      room.botMessages().map(({ text }) => text),
      ["for Ada", "for both"],
    );
  });
});
