import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MessageId, type ThreadId } from "@talaria/protocol";
import { codeOf, createSimulatedClock, hurriedClock, memoryStore, messageOf } from "@talaria/testkit";
import { ClosedChats } from "./closed-chats.ts";
import { conversation, message, open, refTo, signal } from "./testing/world.ts";

const thread = (id: number) => ({ threadId: brandAs<ThreadId>(String(id)) });

describe("a topic", () => {
  it("that was deleted leaves its messages to the chat itself, and is not asked for again", async () => {
    await using world = await open();
    const { server, adapter, ada } = world;
    const forum = server.group({ title: "F", members: [ada], topics: ["T"] });
    const topic = forum.topic("T");
    forum.deleteTopic(topic);
    const place = conversation(forum.id, thread(topic));
    await adapter.send(message(0, "first", { conversation: place }), signal);
    await adapter.send(message(0, "second", { conversation: place }), signal);
    assert.deepEqual(
      forum.botMessages().map(({ text, topic: shownIn }) => [text, shownIn]),
      [
        ["first", undefined],
        ["second", undefined],
      ],
    );
    assert.equal(server.calls.count("sendMessage"), 3);
  });

  it("that was closed is left closed", async () => {
    await using world = await open();
    const { server, adapter, ada } = world;
    const forum = server.group({ title: "F", members: [ada], topics: ["T"] });
    forum.closeTopic(forum.topic("T"));
    const place = conversation(forum.id, thread(forum.topic("T")));
    assert.equal(await codeOf(adapter.send(message(0, "x", { conversation: place }), signal)), "forbidden");
    assert.equal(forum.botMessages().length, 0);
  });

  it("of a private chat has its own messages, drafts and typing", async () => {
    await using world = await open({ server: { bots: [{ token: "1:a", topicsInPrivateChats: true }] } });
    const { adapter, chat, ada, host } = world;
    const topic = chat.openTopic("Taxes");
    chat.say(ada, "how much", { topic });
    const [event] = await host.recorded(1);
    assert.ok(event);
    assert.equal(event.conversation.threadId, String(topic));
    const view = await adapter.openReply?.({ conversation: event.conversation }, signal);
    await adapter.setTyping?.(event.conversation, signal);
    await view?.finish(message(0, "a lot", { conversation: event.conversation }), signal);
    assert.deepEqual(
      [chat.drafts()[0]?.threadId, chat.activities()[0]?.threadId, chat.botMessages()[0]?.topic],
      [topic, topic, topic],
    );
  });

  it("General gets messages without its id and typing with it", async () => {
    await using world = await open();
    const { server, adapter, ada, host } = world;
    const forum = server.group({ title: "F", members: [ada], forum: true });
    forum.say(ada, "hello", { mentionBot: true });
    const [event] = await host.recorded(1);
    assert.ok(event);
    assert.equal(event.conversation.threadId, undefined);
    await adapter.setTyping?.(event.conversation, signal);
    await adapter.send(message(0, "x", { conversation: event.conversation }), signal);
    await adapter.send(message(0, "y", { conversation: conversation(forum.id, thread(1)) }), signal);
    assert.equal(forum.activities()[0]?.threadId, 1);
    assert.equal(forum.botMessages().length, 2);
  });
});

describe("a group that became a supergroup", () => {
  it("keeps its first id, both ways, also after a restart", async () => {
    const store = memoryStore();
    await using world = await open({ store });
    const { server, adapter, ada, host } = world;
    const basic = server.group({ title: "B", members: [ada] });
    const before = basic.say(ada, "before", { mentionBot: true });
    await host.recorded(1);
    const moved = basic.migrate();
    const after = moved.say(ada, "after", { mentionBot: true });
    const [first, second] = await host.recorded(2);
    assert.ok(first && second);
    assert.deepEqual(second.conversation.conversationId, first.conversation.conversationId);
    assert.notEqual(messageOf(second).messageId, messageOf(first).messageId);
    const sent = await adapter.send(message(basic.id, "here", { replyTo: messageOf(second).messageId }), signal);
    assert.deepEqual(
      moved.botMessages().map(({ text, replyTo }) => [text, replyTo]),
      [["here", after.messageId]],
    );
    await adapter.edit?.(sent, "there", signal);
    assert.equal(moved.botMessages()[0]?.text, "there");
    assert.equal(await codeOf(adapter.edit?.(refTo(basic.id, before.messageId), "no", signal)), "not_found");
    await adapter.send(message(basic.id, "old reply", { replyTo: messageOf(first).messageId }), signal);
    assert.equal(moved.botMessages().at(-1)?.replyTo, undefined, "the numbers of the two chats differ");
    await adapter.stop();
    await adapter.start(host);
    moved.say(ada, "again", { mentionBot: true });
    const events = await host.recorded(3);
    assert.equal(events.at(-1)?.conversation.conversationId, first.conversation.conversationId);
    assert.equal(store.values.get("migrated-chats"), JSON.stringify([[String(basic.id), String(moved.id)]]));
  });

  it("is found when only the refusal of a message tells of it", async () => {
    const store = memoryStore();
    await using world = await open({ store, config: { mode: "webhook", webhookUrl: "http://127.0.0.1:9" } });
    const { server, adapter, ada } = world;
    const basic = server.group({ title: "B", members: [ada] });
    const moved = basic.migrate();
    const sent = await adapter.send(message(basic.id, "x"), signal);
    assert.equal(sent.messageId, `${moved.botMessages()[0]?.id}@${moved.id}`);
    assert.equal(sent.conversation.conversationId, String(basic.id));
    assert.ok(store.values.has("migrated-chats"));
    await adapter.send(message(basic.id, "y"), signal);
    assert.equal(server.calls.count("sendMessage"), 3);
  });

  it("is known to a second gateway from the store", async () => {
    const store = memoryStore();
    await using first = await open({ store });
    const { server, settings, ada } = first;
    const basic = server.group({ title: "B", members: [ada] });
    await first.host.until(() => server.pendingUpdates() === 0, "it polls");
    const moved = basic.migrate();
    await first.host.until(() => store.values.has("migrated-chats"), "the move is stored");
    await first.adapter.stop();
    await using second = await open({ store, config: { apiRoot: settings.apiRoot, token: settings.token } });
    moved.say(ada, "hello", { mentionBot: true });
    const [event] = await second.host.recorded(1);
    assert.equal(event?.conversation.conversationId, String(basic.id));
  });

  it("does not take over another conversation, whatever an update claims", async () => {
    await using world = await open();
    const { server, ada, host } = world;
    const group = server.group({ title: "G", members: [ada], type: "supergroup" });
    const chat = { id: group.id, type: "supergroup" };
    for (const claim of [
      { migrate_to_chat_id: group.id },
      { migrate_from_chat_id: group.id },
      { migrate_to_chat_id: "x" },
    ])
      server.raw({ message: { message_id: 1, chat, date: 1, ...claim } });
    group.say(ada, "hello", { mentionBot: true });
    const [event] = await host.recorded(1);
    assert.equal(event?.conversation.conversationId, String(group.id));
  });
});

describe("a chat that refuses the bot", () => {
  it("is asked once, and again when the person writes", async () => {
    await using world = await open();
    const { server, adapter, chat, ada, host } = world;
    chat.block();
    await host.until(() => server.pendingUpdates() === 0, "the block is known");
    assert.equal(await codeOf(adapter.send(message(chat.id, "x"), signal)), "forbidden");
    assert.equal(await codeOf(adapter.setTyping?.(conversation(chat.id), signal)), "forbidden");
    assert.equal(await codeOf(adapter.openReply?.({ conversation: conversation(chat.id) }, signal)), "forbidden");
    assert.equal(server.calls.count("sendMessage") + server.calls.count("sendChatAction"), 0);
    chat.unblock();
    chat.say(ada, "I am back");
    await host.recorded(1);
    await adapter.send(message(chat.id, "welcome"), signal);
    assert.equal(chat.botMessages().length, 1);
  });

  it("is remembered by its answer alone, and the edits of its messages too", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    const sent = await adapter.send(message(chat.id, "x"), signal);
    const description = "Forbidden: bot was blocked by the user";
    server.fail("editMessageText", { kind: "answer", code: 403, description, effect: "none" });
    assert.equal(await codeOf(adapter.edit?.(sent, "y", signal)), "forbidden");
    assert.equal(await codeOf(adapter.send(message(chat.id, "z"), signal)), "forbidden");
    assert.equal(server.calls.count("sendMessage"), 1);
  });

  it("holds up no other chat", async () => {
    await using world = await open();
    const { server, adapter, chat } = world;
    const bob = server.privateChat(server.user({ first_name: "Bob" }));
    chat.block();
    await codeOf(adapter.send(message(chat.id, "x"), signal));
    await adapter.send(message(bob.id, "hello"), signal);
    assert.equal(bob.botMessages().length, 1);
  });

  it("is asked again after ten minutes, and never more than ten thousand are remembered", () => {
    const clock = createSimulatedClock(0);
    const closed = new ClosedChats({ now: () => now, elapsed: () => now, sleep: clock.sleep });
    let now = 0;
    closed.close("1");
    assert.throws(() => closed.check("1"), { code: "forbidden", effect: "none" });
    now = 10 * 60_000;
    assert.doesNotThrow(() => closed.check("1"));
    for (let chat = 0; chat <= 10_000; chat += 1) closed.close(String(chat));
    assert.doesNotThrow(() => closed.check("0"));
    assert.throws(() => closed.check("10000"));
  });
});

describe("an id", () => {
  const cases: readonly [messageId: string, expected: string][] = [
    ["", "not_found"],
    ["x", "not_found"],
    ["5@", "not_found"],
    ["5@x", "not_found"],
    ["5@-1@-2", "not_found"],
    ["../5", "not_found"],
    ["1e999", "not_found"],
    ["99999999999999999999", "not_found"],
    ["424242", "not_found"],
  ];
  for (const [messageId, expected] of cases)
    it(`such as ${JSON.stringify(messageId)} names no message`, async () => {
      await using world = await open();
      const { adapter, chat } = world;
      assert.equal(await codeOf(adapter.delete?.(refTo(chat.id, messageId), signal)), expected);
      const replyTo = brandAs<MessageId>(messageId);
      await adapter.send(message(chat.id, "sent all the same", { replyTo }), signal);
    });

  it("of a conversation that is no number names none", async () => {
    await using world = await open({ clock: hurriedClock });
    const place = {
      ...conversation(5),
      conversationId: brandAs<ReturnType<typeof conversation>["conversationId"]>("x"),
    };
    assert.equal(await codeOf(world.adapter.send(message(0, "x", { conversation: place }), signal)), "not_found");
  });
});
