import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type MediaRef, type UserId } from "@talaria/protocol";
import { codeOf, messageTo } from "@talaria/testkit";
import { conversation, openWorld } from "./testing/world.ts";

const never = new AbortController().signal;

/** A channel in which Ada and Bob are, and messages for Ada alone. */
async function openChannel() {
  const world = await openWorld();
  const bob = world.server.user("bob");
  world.channel.say(world.ada, "hello");
  world.channel.say(bob, "hello");
  await world.host.recorded(2);
  const privateTo = brandAs<UserId>(world.ada.id);
  const forAda = (text: string, more: object = {}) =>
    messageTo(conversation(world.channel.id), text, { privateTo, ...more });
  return { world, bob, forAda };
}

describe("a message for one person on Slack", () => {
  it("is seen by that person and is no message of the channel", async () => {
    const { world, bob, forAda } = await openChannel();
    await using _ = world;
    const sent = await world.adapter.send(forAda("**idle**, <!channel>"), never);
    assert.match(sent.messageId, /^\d+\.\d{6}$/);
    assert.equal(world.channel.whispersTo(world.ada).length, 1);
    assert.match(world.channel.whispersTo(world.ada)[0] ?? "", /\*\*idle\*\*/);
    assert.doesNotMatch(world.channel.whispersTo(world.ada)[0] ?? "", /<!channel>/);
    assert.deepEqual([world.channel.whispersTo(bob), world.channel.botMessages()], [[], []]);
  });

  it("comes in Slack's own dialect when its blocks are refused", async () => {
    const { world, forAda } = await openChannel();
    await using _ = world;
    const rows = Array.from({ length: 101 }, (_, n) => `| ${n} | x |`).join("\n");
    await world.adapter.send(forAda(`| a | b |\n|---|---|\n${rows}`), never);
    assert.equal(world.server.calls.of("chat.postEphemeral").length, 2);
    assert.match(world.channel.whispersTo(world.ada)[0] ?? "", /100/);
  });

  it("is not looked for after its answer was lost: Slack keeps none", async () => {
    const { world, forAda } = await openChannel();
    await using _ = world;
    world.server.fail("chat.postEphemeral", { kind: "drop", effect: "done" });
    const lost = forAda("lost");
    assert.equal(await codeOf(world.adapter.send(lost, never)), "unavailable");
    const calls = world.server.calls.of().length;
    assert.equal(await world.adapter.findSent?.(lost, never), undefined);
    assert.equal(world.server.calls.of().length, calls);
  });

  it("is refused for somebody who is not there, and with files", async () => {
    const { world, forAda } = await openChannel();
    await using _ = world;
    const stranger = brandAs<UserId>(world.server.user("cleo").id);
    assert.equal(await codeOf(world.adapter.send(forAda("hello", { privateTo: stranger }), never)), "forbidden");
    const attachments = [{ ref: brandAs<MediaRef>("sample"), name: "a.csv", mimeType: "text/csv" }];
    assert.equal(await codeOf(world.adapter.send(forAda("hello", { attachments }), never)), "unsupported");
    assert.deepEqual(world.channel.botMessages(), []);
  });
});
