import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOf, messageOf, messageTo } from "@talaria/testkit";
import { open, signal } from "./testing/world.ts";

const config = { guestMode: true };
const server = { bots: [{ token: "700000001:guest-token", guestMode: true }] };

describe("a bot that is called into a foreign chat", () => {
  it("hears the call as a conversation of its own, with what it answers and nothing else", async () => {
    await using world = await open({ config, server });
    const { host, ada } = world;
    const chat = world.server.foreignChat("Bakers", -1_001_000_000_001);
    const bob = world.server.user({ first_name: "Bob" });
    const first = chat.call(ada, "what is sourdough?", { replyTo: { from: bob, text: "I made some" } });
    const second = chat.call(ada, "and rye?");
    const events = await host.recorded(2);
    assert.deepEqual(
      events.map(({ conversation: { conversationId, kind, guest, title } }) => [conversationId, kind, guest, title]),
      [first, second].map((query) => [`-guest:${query}`, "group", true, "Bakers"]),
    );
    const [message] = events.map(messageOf);
    assert.deepEqual([message?.markdown, message?.mentionsSelf], ["what is sourdough?", true]);
    assert.deepEqual([message?.quote?.userId, message?.quote?.markdown], [String(bob.id), "I made some"]);
    assert.deepEqual(events[0]?.sender.userId, String(ada.id));
  });

  it("answers once, with formatting, and shows nothing before", async () => {
    await using world = await open({ config, server });
    const { adapter, host, ada } = world;
    const chat = world.server.foreignChat("Bakers");
    const query = chat.call(ada, "what is sourdough?") ?? assert.fail();
    const [event] = await host.recorded(1);
    assert.ok(event);
    const { conversation } = event;
    const abilities = adapter.capabilitiesFor?.(conversation);
    assert.deepEqual([abilities?.view, abilities?.edit, abilities?.typing], [undefined, undefined, undefined]);
    await adapter.send(messageTo(conversation, "**Leaven** <b>", { choices: [{ id: "a", label: "A" }] }), signal);
    assert.equal(chat.answer(query)?.text, "Leaven <b>");
    assert.equal(chat.answer(query)?.entities[0]?.type, "bold");
    assert.equal(await codeOf(adapter.send(messageTo(conversation, "more"), signal)), "unsupported");
    assert.equal(world.server.calls.of("answerGuestQuery").length, 1);
    const files = messageTo(conversation, "", { attachments: [{ ref: "small", name: "a", mimeType: "a/b" } as never] });
    assert.equal(await codeOf(adapter.send(files, signal)), "unsupported");
  });

  it("gives up a call that Telegram knows no more", async () => {
    await using world = await open({ config, server });
    const { adapter, host, ada } = world;
    world.server.foreignChat("Bakers").call(ada, "hello");
    const [event] = await host.recorded(1);
    assert.ok(event);
    const description = "Bad Request: query is too old and response timeout expired or query ID is invalid";
    world.server.faults.add("answerGuestQuery", { kind: "answer", code: 400, description, effect: "none" }, 1);
    assert.equal(await codeOf(adapter.send(messageTo(event.conversation, "hi"), signal)), "not_found");
  });

  it("is told of no call where it has not asked for it, or Telegram does not let it", async () => {
    for (const [settings, account] of [
      [{}, server],
      [config, {}],
    ]) {
      await using world = await open({ config: settings ?? {}, server: account as object });
      world.chat.say(world.ada, "hello");
      await world.host.recorded(1);
      assert.equal(world.server.foreignChat("Bakers").call(world.ada, "hello"), undefined);
    }
  });

  it("hears no call that waited from when it was on", async () => {
    await using world = await open({ server });
    const chat = { id: -5, type: "group" };
    const from = { id: 7, is_bot: false, first_name: "Eve" };
    const facts = { message_id: 1, date: 1_800_000_000, chat, from, text: "hi", guest_query_id: "q1" };
    world.server.raw({ guest_message: facts });
    world.chat.say(world.ada, "hello");
    const events = await world.host.recorded(1);
    assert.deepEqual(
      events.map((event) => messageOf(event).markdown),
      ["hello"],
    );
  });

  it("says at once what is missing at Telegram", async () => {
    const { silentLog } = await import("@talaria/protocol");
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, text: string) => void warnings.push(text), child: () => log };
    await using world = await open({ config, log });
    world.chat.say(world.ada, "hello");
    await world.host.recorded(1);
    assert.match(warnings.join(), /switch its guest mode on at @BotFather/);
  });
});
