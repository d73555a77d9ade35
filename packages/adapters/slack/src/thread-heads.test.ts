import assert from "node:assert/strict";
import { it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

/** The first four messages. Slack tells of those that name us twice, under the same id. */
async function fourOf(host: Awaited<ReturnType<typeof openWorld>>["host"]) {
  const found = () => [...new Map(host.events.toReversed().map((event) => [event.id, event])).values()].reverse();
  await host.until(() => found().length === 4, "four messages");
  return found().map((event) => messageOf(event));
}

it("quotes what a thread begins with, and its files, once somebody names us there", async () => {
  await using world = await openWorld();
  const { host, channel, ada, server } = world;
  const bob = server.user("bob");
  const file = { bytes: Buffer.from("in it"), name: "budget.txt", mimetype: "text/plain" };
  const thread = channel.say(bob, "", { files: [file] });
  channel.say(ada, "nice", { thread });
  channel.say(ada, "what is in it?", { thread, mentionBot: true });
  channel.say(ada, "and who sent it?", { thread, mentionBot: true });
  const messages = await fourOf(host);
  assert.deepEqual(
    messages.map(({ quote }) => quote?.userId),
    [undefined, undefined, bob.id, undefined],
  );
  assert.deepEqual(messages[2]?.quote?.attachments, messages[0]?.attachments);
});

it("quotes nothing that was said to us, and nothing of another channel", async () => {
  await using world = await openWorld();
  const { host, channel, ada, server } = world;
  const asked = channel.say(ada, "what is new?", { mentionBot: true });
  channel.say(ada, "and else?", { thread: asked, mentionBot: true });
  const elsewhere = server.channel("elsewhere").say(ada, "the secret");
  channel.say(ada, "tell me", { thread: elsewhere, mentionBot: true });
  const messages = await fourOf(host);
  assert.deepEqual(
    messages.map(({ quote }) => quote),
    [undefined, undefined, undefined, undefined],
  );
});
