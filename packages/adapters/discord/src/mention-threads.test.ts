import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MessageId } from "@talaria/protocol";
import { messageOf, messageTo, RecordingHost } from "@talaria/testkit";
import { makeWorld, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const settings = { threadPerMention: true };

describe("a thread for each mention", () => {
  it("is made below the message, called after its words, and holds the answer", async () => {
    await using world = await openWorld({ settings });
    const { adapter, host, channel, ada } = world;
    const id = channel.say(ada, "what is a loom?\nTell me.", { mentionBot: true });
    const [event] = await host.recorded(1);
    assert.ok(event);
    assert.deepEqual([event.conversation.conversationId, event.conversation.threadId], [channel.id, id]);
    const thread = channel.threadBelow(id);
    assert.equal(thread?.state.name, "what is a loom?");
    const replyTo = messageOf(event).messageId;
    await adapter.send(messageTo(event.conversation, "A machine.", { replyTo }), signal);
    assert.deepEqual([thread?.botMessages()[0]?.text, channel.botMessages().length], ["A machine.", 0]);
    await adapter.react?.({ conversation: event.conversation, messageId: replyTo }, "👀", signal);
    assert.deepEqual([...(channel.messages()[0]?.reactions.keys() ?? [])], ["👀"]);
    thread?.say(ada, "and of what?");
    channel.edit(ada, id, "what is a loom, please?");
    channel.delete(id);
    const later = (await host.recorded(4)).slice(1);
    assert.deepEqual(
      later.map(({ conversation }) => conversation.threadId),
      [id, id, id],
    );
  });

  it("is neither for what names nobody, nor in threads and direct messages, nor where it is not wanted", async () => {
    for (const wanted of [true, false]) {
      await using world = await openWorld({ settings: { threadPerMention: wanted } });
      const { server, host, channel, direct, ada } = world;
      channel.say(ada, "among ourselves");
      direct.say(ada, "hello");
      channel.thread("aside").say(ada, "hello", { mentionBot: true });
      if (!wanted) channel.say(ada, "hello", { mentionBot: true });
      await host.recorded(wanted ? 3 : 4);
      assert.equal(server.calls.of("startThreadFromMessage").length, 0);
    }
  });

  it("is not made for somebody who may not be heard", async () => {
    const { server, make, channel, ada } = await makeWorld({ settings });
    const host = new RecordingHost(30_000);
    host.allows = () => false;
    const adapter = make();
    await adapter.start(host);
    channel.say(ada, "hello", { mentionBot: true });
    const [event] = await host.recorded(1);
    assert.deepEqual([event?.conversation.threadId, server.calls.of("startThreadFromMessage").length], [undefined, 0]);
    await adapter.stop();
    await server.stop();
  });

  it("that Discord refuses leaves the answer in the channel; one that is there already is used", async () => {
    await using world = await openWorld({ settings });
    const { server, host, channel, ada } = world;
    server.fail("startThreadFromMessage", { kind: "answer", code: 403, description: "50013", effect: "none" });
    channel.say(ada, "hello", { mentionBot: true });
    server.fail("startThreadFromMessage", { kind: "drop", effect: "done" });
    const id = channel.say(ada, "hello again", { mentionBot: true });
    const events = await host.recorded(2);
    assert.deepEqual(
      events.map(({ conversation }) => conversation.threadId),
      [undefined, id],
    );
    assert.ok(brandAs<MessageId>(id));
  });
});
