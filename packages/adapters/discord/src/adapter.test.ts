import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type DeliveryKey, type MediaRef, type MessageId, type ThreadId } from "@talaria/protocol";
import { codeOf, messageOf, type RecordingHost } from "@talaria/testkit";
import { conversation, message, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();

describe("sending", () => {
  it("answers a message, also one that is gone, and notifies nobody but who asked", async () => {
    await using world = await openWorld();
    const { server, adapter, direct, ada } = world;
    const asked = direct.say(ada, "question");
    await adapter.send(message(direct.id, "**yes** @everyone", { replyTo: brandAs<MessageId>(asked) }), signal);
    await adapter.send(message(direct.id, "late", { replyTo: brandAs<MessageId>("999") }), signal);
    const [first, second] = direct.botMessages();
    assert.deepEqual([first?.text, first?.replyTo, first?.flags], ["**yes** @everyone", asked, 4]);
    assert.deepEqual([second?.text, second?.replyTo], ["late", undefined]);
    for (const { body } of server.calls.of("createMessage"))
      assert.deepEqual(body.allowed_mentions, { parse: [], replied_user: true });
    assert.deepEqual([first?.notified, second?.notified], [[ada.id], []]);
  });

  it("notifies who asked by the answer itself, and nobody by what follows it or changes elsewhere", async () => {
    await using world = await openWorld();
    const { server, adapter, channel, ada } = world;
    const bob = server.user("bob");
    const asked = brandAs<MessageId>(channel.say(ada, "question"));
    const named = `<@${bob.id}> look`;
    const answer = await adapter.send(message(channel.id, `It grows ${named}`, { replyTo: asked }), signal);
    const more = await adapter.send(message(channel.id, `and goes on ${named}`), signal);
    await adapter.edit?.(answer, `It grows and ends ${named}`, signal);
    await adapter.edit?.(more, `and goes on and on ${named}`, signal);
    assert.deepEqual(
      channel.botMessages().map(({ notified }) => notified),
      [[ada.id], []],
    );
  });

  it("posts once for one delivery key, also after a lost answer", async () => {
    await using world = await openWorld();
    const { server, adapter, channel } = world;
    const once = message(channel.id, "once", { deliveryKey: brandAs<DeliveryKey>("a-key-of-any-length/with 1 sign") });
    server.fail("createMessage", { kind: "drop", effect: "done" });
    assert.equal(await codeOf(adapter.send(once, signal)), "unavailable");
    const sent = await adapter.send(once, signal);
    assert.deepEqual(
      channel.botMessages().map(({ id }) => id),
      [sent.messageId],
    );
  });

  it("carries files, in threads and forum posts too", async () => {
    await using world = await openWorld();
    const { server, adapter, guild, ada, files } = world;
    files.one = Buffer.from("one");
    files.large = new Uint8Array(10 * 1024 * 1024 + 1);
    const forum = server.forum(guild, "ideas");
    const { place } = forum.post(ada, "an idea", "its text");
    const attach = (ref: string) => [{ ref: brandAs<MediaRef>(ref), mimeType: "text/plain", name: 'x"\r\ny.txt' }];
    const there = conversation(forum.id, { threadId: brandAs<ThreadId>(place.id) });
    await adapter.send(message("", "see", { conversation: there, attachments: attach("one") }), signal);
    const [seen] = place.botMessages();
    assert.equal(seen?.text, "see");
    assert.deepEqual(Buffer.from(seen?.files[0]?.bytes ?? []), files.one);
    assert.equal(
      await codeOf(adapter.send(message("", "l", { conversation: there, attachments: attach("large") }), signal)),
      "too_large",
    );
    assert.equal(await codeOf(adapter.send(message(forum.id, "beside"), signal)), "invalid_request");
  });

  it("says why something cannot be sent", async () => {
    await using world = await openWorld();
    const { adapter, channel, direct, ada, server } = world;
    assert.equal(await codeOf(adapter.send(message(channel.id, "x".repeat(2_001)), signal)), "too_large");
    assert.equal(await codeOf(adapter.send(message(channel.id, " \n"), signal)), "invalid_request");
    assert.equal(await codeOf(adapter.send(message("5", "nowhere"), signal)), "not_found");
    assert.equal(await codeOf(adapter.send(message("#odd", "nowhere"), signal)), "not_found");
    const theirs = { conversation: conversation(channel.id), messageId: brandAs<MessageId>(channel.say(ada, "mine")) };
    assert.equal(await codeOf(adapter.edit?.(theirs, "x", signal) ?? Promise.resolve()), "forbidden");
    channel.allow("read-only");
    assert.equal(await codeOf(adapter.send(message(channel.id, "a"), signal)), "forbidden");
    direct.allow("blocked");
    assert.equal(await codeOf(adapter.send(message(direct.id, "b"), signal)), "forbidden");
    server.fail("createMessage", { kind: "answer", code: 503, effect: "done" });
    await assert.rejects(adapter.send(message(channel.id, "c"), signal), { code: "unavailable", effect: "unknown" });
    assert.equal(server.calls.of("createMessage").filter(({ status }) => status === 503).length, 1, "not repeated");
  });

  it("edits, reacts, types and deletes", async () => {
    await using world = await openWorld();
    const { adapter, channel, ada } = world;
    const said = { conversation: conversation(channel.id), messageId: brandAs<MessageId>(channel.say(ada, "hi")) };
    await adapter.react?.(said, "👍", signal);
    assert.deepEqual([...(channel.messages()[0]?.reactions.keys() ?? [])], ["👍"]);
    await adapter.react?.(said, "👍", signal);
    for (const emoji of ["👍", "👍", "nothing"]) await adapter.unreact?.(said, emoji, signal);
    assert.deepEqual([...(channel.messages()[0]?.reactions.keys() ?? [])], []);
    assert.equal(await codeOf(adapter.react?.(said, "no emoji", signal) ?? Promise.resolve()), "unsupported");
    await adapter.setTyping?.(said.conversation, signal);
    assert.equal(channel.typings().length, 1);
    const sent = await adapter.send(message(channel.id, "a"), signal);
    await adapter.edit?.(sent, "`b`", signal);
    assert.deepEqual([channel.botMessages()[0]?.text, channel.botMessages()[0]?.flags], ["``b``", 4]);
    await adapter.delete?.(sent, signal);
    assert.deepEqual(channel.botMessages(), []);
  });

  it("waits for no rate limit", async () => {
    await using world = await openWorld({ limits: { burst: 1, windowMs: 30_000 } });
    const { adapter, channel, server } = world;
    await adapter.send(message(channel.id, "a"), signal);
    await assert.rejects(adapter.send(message(channel.id, "b"), signal), { code: "rate_limited", effect: "none" });
    assert.equal(server.callsIntoClosedWindow(), 0);
  });
});

describe("what comes in", () => {
  it("is told with sender, place, quote and kind", async () => {
    await using world = await openWorld();
    const { server, adapter, host, channel, direct, ada } = world;
    const own = await adapter.send(message(channel.id, "my words"), signal);
    channel.say(ada, `<@${server.bot.id}> /status of <#${channel.id}>`);
    channel.say(ada, "and this?", { replyTo: own.messageId, ping: false });
    direct.say(ada, "psst");
    const events = await byText(host, 3);
    const command = events.get("/status of #general");
    assert.equal(command?.conversation.kind, "group");
    assert.equal(command?.conversation.title, "general");
    assert.deepEqual([command?.sender.displayName, command?.sender.handle], ["Ada Lovelace", "ada"]);
    assert.equal(messageOf(command).mentionsSelf, true);
    const reply = messageOf(events.get("and this?"));
    assert.deepEqual([reply.repliesToSelf, reply.mentionsSelf, reply.quote?.markdown], [true, false, "my words"]);
    assert.equal(reply.quote?.own, true);
    assert.equal(events.get("psst")?.conversation.kind, "direct");
  });

  it("leaves out what Discord hides, and keeps mentions and direct messages", async () => {
    await using world = await openWorld({ messageContent: false, settings: { messageContent: false } });
    const { host, channel, direct, ada } = world;
    channel.say(ada, "hidden");
    channel.say(ada, "for you", { mentionBot: true });
    direct.say(ada, "private");
    const events = await byText(host, 2);
    assert.deepEqual([...events.keys()].sort(), ["for you", "private"]);
  });

  it("includes deletions, reactions and presses", async () => {
    await using world = await openWorld();
    const { server, host, channel, ada } = world;
    const id = channel.say(ada, "one");
    channel.react(ada, id, "👍");
    channel.unreact(ada, id, "👍");
    channel.delete(id);
    const card = server.sayAsBot(channel, "sure?", [
      { type: 1, components: [{ type: 2, style: 2, label: "Yes", custom_id: "yes" }] },
    ]);
    assert.equal((await channel.press(ada, card, "yes")).type, 7);
    const events = await host.recorded(5);
    const types = events.map(({ type }) => type).filter((type) => type !== "action.invoked");
    assert.deepEqual(types, ["message.created", "reaction.added", "reaction.removed", "message.deleted"]);
    assert.equal(new Set(events.map((event) => event.id)).size, 5);
  });

  it("tells speech from other sound", async () => {
    await using world = await openWorld();
    const { host, channel, ada } = world;
    const files = [{ bytes: Buffer.from("ogg"), name: "voice-message.ogg", contentType: "audio/ogg" }];
    channel.say(ada, "", { files, voice: true });
    channel.say(ada, "", { files });
    const voices = (await host.recorded(2)).map((event) => messageOf(event).attachments[0]?.voice);
    assert.deepEqual(voices, [true, undefined]);
  });

  it("survives packets of any shape, and counts those of a known kind", async () => {
    const counted: string[] = [];
    await using world = await openWorld({ deps: { countUnreadable: (kind) => void counted.push(kind) } });
    const { server, host, channel, ada } = world;
    const known = [
      "MESSAGE_CREATE",
      "MESSAGE_UPDATE",
      "MESSAGE_DELETE_BULK",
      "MESSAGE_REACTION_ADD",
      "INTERACTION_CREATE",
    ];
    for (const name of [...known, "THREAD_LIST_SYNC", "SOMETHING_NEW"])
      for (const odd of [{ author: null }, { id: 5, channel_id: [], author: {} }]) server.gateway.raw(name, odd);
    server.gateway.raw("MESSAGE_UPDATE", { id: "1", channel_id: channel.id, embeds: [] });
    channel.say(ada, "still here");
    assert.equal(messageOf((await host.recorded(1))[0]).markdown, "still here");
    assert.deepEqual(
      counted,
      known.flatMap((name) => [name, name]),
    );
  });
});

async function byText(host: RecordingHost, count: number) {
  const events = await host.recorded(count);
  return new Map(events.map((event) => [messageOf(event).markdown, event]));
}
