import assert from "node:assert/strict";
import { it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { message, openWorld } from "./testing/world.ts";

const file = { bytes: Buffer.from("in it"), name: "budget.txt", contentType: "text/plain" };

it("brings the message along that a thread is made from, with its files, and asks once", async () => {
  await using world = await openWorld();
  const { host, channel, ada, server } = world;
  const bob = server.user("bob");
  const root = channel.say(bob, "300 EUR", { files: [file] });
  const thread = channel.thread("roof", root);
  thread.say(ada, "is that much?", { mentionBot: true });
  thread.say(ada, "and else?");
  channel.thread("alone").say(ada, "nobody said anything before");
  const [said, ...others] = (await host.recorded(4)).map((event) => messageOf(event));
  const { userId, displayName, markdown, attachments, head } = others[0]?.quote ?? {};
  assert.deepEqual([userId, displayName, markdown, head], [bob.id, "bob", "300 EUR", true]);
  assert.deepEqual(attachments, said?.attachments);
  assert.deepEqual(
    others.map(({ quote }) => quote?.markdown),
    ["300 EUR", "300 EUR", undefined],
  );
  assert.equal(server.calls.of("getMessage").length, 2);
});

it("quotes no message of ours, which the house knows, and asks for none of a forum", async () => {
  await using world = await openWorld();
  const { host, channel, ada, server, guild, adapter } = world;
  const sent = await adapter.send(message(channel.id, "A machine."), new AbortController().signal);
  channel.thread("looms", sent.messageId).say(ada, "of wood?", { mentionBot: true });
  const { place } = server.forum(guild, "help").post(ada, "title", "it broke");
  place.say(ada, "hello?");
  const quotes = (await host.recorded(3)).map((event) => messageOf(event).quote);
  assert.deepEqual(quotes, [undefined, undefined, undefined]);
  assert.equal(server.calls.of("getMessage").length, 1);
});
