import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type Conversation, type MediaRef, type MessageId } from "@talaria/protocol";
import { conversation, message, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();

type World = Awaited<ReturnType<typeof openWorld>>;

/** Whom our newest message notifies. */
const notified = ({ room }: World) => room.botMessages().at(-1)?.content["m.mentions"];

function reply(world: World, replyTo: string, more: Partial<Conversation> = {}) {
  const { room } = world;
  const asked = { conversation: conversation(room.id, more), replyTo: brandAs<MessageId>(replyTo) };
  return { ...message(room.id, "Bob and Ada, here you are"), ...asked };
}

describe("who is notified", () => {
  it("is the asker of a reply in a group, and nobody else", async () => {
    await using world = await openWorld();
    const { adapter, room, ada } = world;
    await adapter.send(reply(world, room.say(ada, "where?")), signal);
    assert.deepEqual(notified(world), { user_ids: [ada] });
  });

  it("is the asker of a reply with a file, and of one in a thread", async () => {
    await using world = await openWorld();
    const { adapter, room, ada, bob, files } = world;
    files.numbers = Buffer.from("1,2");
    const root = room.say(ada, "a root");
    const attachments = [{ ref: brandAs<MediaRef>("numbers"), mimeType: "text/csv", name: "n.csv" }];
    const asked = room.say(bob, "where?", { threadId: root });
    await adapter.send({ ...reply(world, asked, { threadId: brandAs(root) }), attachments }, signal);
    assert.deepEqual(notified(world), { user_ids: [bob] });
  });

  it("stays the asker in an edit, which notifies nobody again", async () => {
    await using world = await openWorld();
    const { adapter, room, ada } = world;
    const sent = await adapter.send(reply(world, room.say(ada, "where?")), signal);
    await adapter.edit?.(sent, "here", signal);
    assert.deepEqual(notified(world), { user_ids: [ada] });
    assert.deepEqual(room.events("m.room.message").at(-1)?.content["m.mentions"], {});
  });

  it("is nobody in a direct chat, without a reply, in an answer to ourselves, and where the asker is not known", async () => {
    await using world = await openWorld();
    const { adapter, room, ada, bob } = world;
    const said = room.say(ada, "where?");
    const own = await adapter.send(message(room.id, "first"), signal);
    assert.deepEqual(notified(world), {});
    for (const one of [reply(world, own.messageId), reply(world, "$unknown")]) {
      await adapter.send(one, signal);
      assert.deepEqual(notified(world), {});
    }
    room.member(bob, "leave");
    room.say(ada, "alone");
    await world.host.until(() => world.host.kinds.at(-1)?.kind === "direct", "the room is direct");
    await adapter.send(reply(world, said, { kind: "direct" }), signal);
    assert.deepEqual(notified(world), {});
  });

  it("is nobody when the homeserver does not tell, and the answer goes out", async () => {
    await using world = await openWorld();
    const { adapter, room, ada, server } = world;
    const said = room.say(ada, "where?");
    server.fail("event", { kind: "answer", status: 502, effect: "none" });
    await adapter.send(reply(world, said), signal);
    assert.equal(room.botMessages().length, 1);
  });
});
