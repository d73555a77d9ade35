import assert from "node:assert/strict";
import { it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

const never = new AbortController().signal;
const bytes = Buffer.from("what is in it");
const file = { bytes, name: "budget.txt", contentType: "text/plain" };

it("brings the files of an answered message along, which can be opened", async () => {
  await using world = await openWorld();
  const { host, channel, ada, adapter } = world;
  const first = channel.say(ada, "", { files: [file] });
  channel.say(ada, "what is in it?", { replyTo: first });
  const [, event] = await host.recorded(2);
  const { quote } = messageOf(event);
  assert.deepEqual([quote?.markdown, quote?.attachments?.[0]?.name], ["", "budget.txt"]);
  const ref = quote?.attachments?.[0]?.ref;
  assert.ok(ref !== undefined);
  assert.deepEqual(Buffer.from(await new Response(await adapter.openMedia?.(ref, never)).bytes()), bytes);
});

it("brings the files of a forward along, also of one that is answered", async () => {
  await using world = await openWorld();
  const { host, channel, ada, adapter } = world;
  const forward = channel.say(ada, "", { forwards: { content: "PAPAYA", files: [file] } });
  channel.say(ada, "really?", { replyTo: forward });
  const [forwarded, answer] = (await host.recorded(2)).map((event) => messageOf(event));
  const [attachment] = forwarded?.attachments ?? [];
  assert.deepEqual([forwarded?.markdown, attachment?.name], ["[forwarded] PAPAYA", "budget.txt"]);
  assert.ok(attachment);
  assert.deepEqual(Buffer.from(await new Response(await adapter.openMedia?.(attachment.ref, never)).bytes()), bytes);
  assert.equal(answer?.quote?.markdown, "[forwarded] PAPAYA");
  assert.deepEqual(answer?.quote?.attachments, [attachment]);
});
