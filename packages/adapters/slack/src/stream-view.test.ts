import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { messageTo } from "@talaria/testkit";
import { conversation, openWorld } from "./testing/world.ts";

const never = new AbortController().signal;

/** A thread of the direct conversation, or of a channel in which Ada has just spoken. */
async function opened(place: "direct" | "channel" = "direct") {
  const world = await openWorld();
  const { ada, host, adapter } = world;
  const where = world[place];
  const root = where.say(ada, "a question");
  where.say(ada, "and another", { thread: root });
  await host.recorded(2);
  const target = { conversation: conversation(where.id, root) };
  const view = await adapter.openReply?.(target, never);
  assert.ok(view);
  const shown = () => where.botMessages().map(({ text }) => text);
  return { ...world, where, root, target, view, shown };
}

describe("a growing reply on Slack", () => {
  it("is appended piece by piece, and ends as one message with the whole text", async () => {
    await using world = await opened();
    await world.view.update("It", never);
    await world.view.update("It grows", never);
    assert.deepEqual(world.shown(), ["It grows"]);
    assert.equal(world.where.botMessages()[0]?.isStreaming, true);
    const sent = await world.view.finish(messageTo(world.target.conversation, "It grows and ends."), never);
    assert.deepEqual(world.shown(), ["It grows and ends."]);
    assert.equal(sent.messageId, world.where.botMessages()[0]?.ts);
    assert.equal(world.where.botMessages()[0]?.isStreaming, false);
    assert.deepEqual(JSON.parse(world.store.values.get("streams") ?? ""), []);
  });

  it("names its reader in a channel", async () => {
    await using world = await opened("channel");
    assert.ok(world.adapter.capabilitiesFor?.(world.target.conversation).view);
    await world.view.update("Hello", never);
    const [call] = world.server.calls.of("chat.startStream");
    assert.equal(call?.args.recipient_user_id, world.ada.id);
    assert.equal(call?.args.recipient_team_id, world.server.teamId);
  });

  it("is an edited message where no reader is known, and outside of threads", async () => {
    await using world = await openWorld();
    const hasView = (id: string, thread?: string) =>
      world.adapter.capabilitiesFor?.(conversation(id, thread)).view !== undefined;
    assert.equal(hasView(world.channel.id, "1700000000.000100"), false);
    assert.equal(hasView(world.channel.id), false);
    assert.equal(hasView(world.direct.id), false);
    assert.equal(hasView(world.direct.id, "1700000000.000100"), true);
  });

  it("makes one stream of calls that overlap, without repeating a word", async () => {
    await using world = await opened();
    const texts = ["a", "ab", "abc", "abcd", "abcde"];
    await Promise.all(texts.map((text) => world.view.update(text, never)));
    await world.view.finish(messageTo(world.target.conversation, "abcdef"), never);
    assert.equal(world.server.calls.of("chat.startStream").length, 1);
    assert.deepEqual(world.shown(), ["abcdef"]);
  });

  it("holds back the fence that only closes a preview", async () => {
    await using world = await opened();
    await world.view.update("```js\nlet a\n```", never);
    await world.view.update("```js\nlet a = 1;\n```", never);
    assert.deepEqual(world.shown(), ["```js\nlet a = 1;"]);
    await world.view.finish(messageTo(world.target.conversation, "```js\nlet a = 1;\n```\ndone"), never);
    assert.deepEqual(world.shown(), ["```js\nlet a = 1;\n```\ndone"]);
  });

  it("replaces the text when the final one does not continue it, or when it is not sure what is shown", async () => {
    for (const isSure of [true, false]) {
      await using world = await opened();
      await world.view.update("A draft", never);
      if (!isSure) {
        world.server.fail("chat.appendStream", { kind: "drop", effect: "done" });
        await assert.rejects(world.view.update("A draft and more", never));
        await world.view.update("A draft and more and more", never);
      }
      const final = isSure ? "Something else" : "A draft and more and more!";
      await world.view.finish(messageTo(world.target.conversation, final), never);
      assert.deepEqual(world.shown(), [final]);
    }
  });

  it("ends with the final text when the reader has stopped the stream", async () => {
    await using world = await opened();
    await world.view.update("One", never);
    world.where.stopStream(world.where.botMessages()[0]?.ts ?? "");
    await assert.rejects(world.view.update("One two", never));
    await world.view.finish(messageTo(world.target.conversation, "One two three"), never);
    assert.deepEqual(world.shown(), ["One two three"]);
  });

  it("falls back to edits when the workspace has no streams", async () => {
    await using world = await opened();
    const refusal = { kind: "answer", code: 200, description: "channel_type_not_supported", effect: "none" } as const;
    world.server.fail("chat.startStream", refusal);
    await assert.rejects(world.view.update("One", never));
    assert.equal(world.adapter.capabilitiesFor?.(world.target.conversation).view, undefined);
    await world.view.finish(messageTo(world.target.conversation, "One two"), never);
    assert.deepEqual(world.shown(), ["One two"]);
  });

  it("is gone after discard", async () => {
    await using world = await opened();
    await world.view.update("Never mind", never);
    await world.view.discard(never);
    assert.deepEqual(world.shown(), []);
  });

  it("is taken away by the next process when its own has died", async () => {
    await using world = await opened();
    await world.view.update("Half an ans", never);
    await world.adapter.stop();
    const next = world.make();
    await next.start(world.host);
    await world.host.until(() => world.shown().length === 0, "the unfinished message is gone");
    await next.stop();
  });

  it("carries the buttons of the final message", async () => {
    await using world = await opened();
    await world.view.update("Which?", never);
    const choices = [{ id: "a", label: "This" }];
    await world.view.finish(messageTo(world.target.conversation, "Which?", { choices }), never);
    assert.deepEqual(world.where.botMessages()[0]?.buttons, [{ id: "a", label: "This" }]);
  });
});
