import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { codeOf, markdownSample, messageTo } from "@talaria/testkit";
import { conversation, openWorld } from "./testing/world.ts";

const never = new AbortController().signal;

const refusal = (description: string) => ({ kind: "answer", code: 200, description, effect: "none" }) as const;
const hasMarkdown = ({ blocks }: Readonly<Record<string, unknown>>) => String(blocks).includes('"markdown"');
/** A table with more rows than Slack's table block takes, so that the emulator refuses it. */
const longTable = `| n |\n| - |\n${Array.from({ length: 150 }, (_, n) => `| ${n} |`).join("\n")}`;
const names = ["invalid_blocks", "invalid_attachments", "msg_blocks_too_long", "only_one_table_allowed"];

describe("an answer whose blocks Slack refuses", () => {
  for (const name of names)
    it(`is posted as text after ${name}`, async () => {
      await using world = await openWorld();
      world.server.fail("chat.postMessage", refusal(name), 1, hasMarkdown);
      const message = messageTo(conversation(world.channel.id), "# Done\n\n**all** [here](https://e.org) <!channel>");
      const sent = await world.adapter.send(message, never);
      const [posted] = world.channel.botMessages();
      assert.equal(posted?.ts, sent.messageId);
      assert.equal(posted?.text, "*Done*\n\n*all* <https://e.org|here> &lt;!channel&gt;");
      assert.equal((await world.adapter.findSent?.(message, never))?.messageId, sent.messageId);
    });

  it("is posted as text when a table is too long, and is edited so too", async () => {
    await using world = await openWorld();
    const sent = await world.adapter.send(messageTo(conversation(world.channel.id), longTable), never);
    assert.match(world.channel.botMessages()[0]?.text ?? "", /```[\s\S]*149[\s\S]*```/);
    await world.adapter.edit?.(sent, `${longTable}\n\nend`, never);
    assert.match(world.channel.botMessages()[0]?.text ?? "", /149[\s\S]*end/);
    await world.adapter.edit?.(sent, "short again", never);
    assert.equal(world.channel.botMessages()[0]?.text, "short again");
  });

  it("keeps its buttons", async () => {
    await using world = await openWorld();
    const choices = [{ id: "a", label: "This" }];
    await world.adapter.send(messageTo(conversation(world.channel.id), `${longTable}\n\nWhich?`, { choices }), never);
    const [posted] = world.channel.botMessages();
    assert.match(posted?.text ?? "", /149[\s\S]*Which\?/);
    assert.deepEqual(posted?.buttons, [{ id: "a", label: "This" }]);
  });

  it("is whole although it is longer than a text that Slack edits", async () => {
    await using world = await openWorld();
    const long = `${longTable}\n\n${"All of it is there. ".repeat(400)}\n\nthe end`;
    const sent = await world.adapter.send(messageTo(conversation(world.channel.id), long), never);
    assert.match(world.channel.botMessages()[0]?.text ?? "", /149[\s\S]*the end/);
    await world.adapter.edit?.(sent, `${long}.`, never);
    assert.match(world.channel.botMessages()[0]?.text ?? "", /149[\s\S]*the end\./);
  });

  it("comes with its files", async () => {
    await using world = await openWorld();
    const attachments = [{ ref: brandAs<MediaRef>("sample"), name: "a.csv", mimeType: "text/csv" }];
    await world.adapter.send(messageTo(conversation(world.channel.id), longTable, { attachments }), never);
    const [posted] = world.channel.botMessages();
    assert.match(posted?.text ?? "", /149/);
    assert.equal(posted?.files.length, 1);
  });

  it("ends a stream all the same", async () => {
    await using world = await openWorld();
    const root = world.direct.say(world.ada, "a question");
    world.direct.say(world.ada, "and another", { thread: root });
    await world.host.recorded(2);
    const place = conversation(world.direct.id, root);
    const view = await world.adapter.openReply?.({ conversation: place }, never);
    await view?.update("Here it comes", never);
    world.server.fail(
      "chat.stopStream",
      refusal("invalid_blocks"),
      1,
      ({ markdown_text }) => markdown_text !== undefined,
    );
    await view?.finish(messageTo(place, `Here it comes\n\n${longTable}`), never);
    const [posted] = world.direct.botMessages();
    assert.match(posted?.text ?? "", /Here it comes[\s\S]*149/);
    assert.equal(posted?.isStreaming, false);
  });

  it("does not cost other threads their streams", async () => {
    await using world = await openWorld();
    const root = world.direct.say(world.ada, "a question");
    world.direct.say(world.ada, "and another", { thread: root });
    await world.host.recorded(2);
    const place = conversation(world.direct.id, root);
    const view = await world.adapter.openReply?.({ conversation: place }, never);
    world.server.fail("chat.startStream", refusal("invalid_blocks"));
    assert.equal(await codeOf(view?.update("Here", never) ?? Promise.resolve()), "invalid_request");
    assert.ok(world.adapter.capabilitiesFor?.(place).view);
  });

  it("is given up when Slack refuses the text as well, and when it refuses for another reason", async () => {
    await using world = await openWorld();
    const message = messageTo(conversation(world.channel.id), "hello");
    world.server.fail("chat.postMessage", refusal("invalid_blocks"), 2);
    assert.equal(await codeOf(world.adapter.send(message, never)), "invalid_request");
    assert.equal(world.server.calls.of("chat.postMessage").length, 2);
    world.server.fail("chat.postMessage", refusal("restricted_action"));
    assert.equal(await codeOf(world.adapter.send(message, never)), "forbidden");
    assert.equal(world.server.calls.of("chat.postMessage").length, 3);
  });

  it("says everything that the sample of Markdown says", async () => {
    await using world = await openWorld();
    world.server.fail("chat.postMessage", refusal("invalid_blocks"), 1, hasMarkdown);
    await world.adapter.send(messageTo(conversation(world.channel.id), markdownSample), never);
    const text = world.channel.botMessages()[0]?.text ?? "";
    for (const word of ["A quote", "inside a quote"]) assert.ok(text.includes(word), word);
  });
});
