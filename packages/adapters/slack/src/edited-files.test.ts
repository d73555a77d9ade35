import assert from "node:assert/strict";
import { it } from "node:test";
import { messageOf } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

it("tells that a file was taken out of a message, and nothing when only a preview or an answer came", async () => {
  await using world = await openWorld();
  const { host, channel, ada } = world;
  const files = ["a.txt", "b.txt"].map((name) => ({ bytes: Buffer.from(name), name, mimetype: "text/plain" }));
  const ts = channel.say(ada, "two files", { files });
  await host.recorded(1);
  channel.removeFile(ts, "a.txt");
  const [, event] = await host.recorded(2);
  assert.equal(event?.type, "message.edited");
  const { markdown, attachments, messageId } = messageOf(event);
  assert.deepEqual([messageId, markdown], [ts, "two files\n[a file that was deleted]"]);
  assert.deepEqual(
    attachments.map(({ name }) => name),
    ["b.txt"],
  );
  const preview = { subtype: "message_changed", message: { ts, user: ada.id, text: "two files" } };
  const ignored = channel.forge(ts, { ...preview, previous_message: { ts, user: ada.id, text: "two files" } });
  await host.until(() => ignored.isAcknowledged, "acknowledged");
  assert.equal(host.events.length, 2);
});
