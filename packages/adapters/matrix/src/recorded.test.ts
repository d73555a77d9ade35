import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { openWorld } from "./testing/world.ts";

interface RecordedEvent {
  readonly type: string;
  readonly sender: string;
  readonly event_id: string;
  readonly origin_server_ts: number;
  readonly content: Readonly<Record<string, unknown>>;
  readonly state_key?: string;
}

const file = await readFile(new URL("./recorded/events.json", import.meta.url), "utf8");
const { payloads } = JSON.parse(file) as { payloads: Readonly<Record<string, RecordedEvent>> };

/** What the agent would read of it. */
function summaryOf(event: InboundEvent): string {
  if (event.type === "message.deleted") return `${event.type} ${event.messageId}`;
  if (event.type !== "message.created") return event.type;
  const { markdown, attachments, replyTo } = event.message;
  const files = attachments.map(({ kind, mimeType, name }) => `<${kind} ${mimeType} ${name}>`);
  const { role } = event.sender;
  const { threadId } = event.conversation;
  const about = [role === "person" ? "" : role, threadId && `in ${threadId}`, replyTo && `to ${replyTo}`];
  return [...about, markdown, ...files].filter(Boolean).join(" ");
}

const expected: Readonly<Record<string, readonly string[]>> = {
  "m.text": ["This is an example"],
  "m.emote": ["* thinks this is an example"],
  "m.notice": ["bot This is a notice"],
  "m.image": ["<image image/jpeg filename.jpg>"],
  "m.file with a caption": ["please read <file application/msword important.doc>"],
  "m.audio": ["<audio audio/mpeg A song>"],
  "m.video": ["<video video/mp4 A film>"],
  "m.location": ["[location: Big Ben geo:51.5008,0.1247]"],
  "m.sticker": ["[sticker: Landing]"],
  "m.key.verification.request": [],
  "rich reply": ["to $another_event That sounds like a great idea"],
  "rich reply with the fallback from before 1.13": ["to $another_event This is the reply"],
  thread: ["in $thread_root I agree"],
  poll: ["[poll: Lunch?, Here / There]"],
  "m.reaction to an unknown event": [],
  "m.room.redaction": ["message.deleted $fukweghifu23:localhost"],
  "m.room.member": [],
};

describe("the sample events of the Matrix specification", () => {
  it("are all here", () => assert.deepEqual(Object.keys(payloads), Object.keys(expected)));

  for (const [name, { type, sender, content, ...more }] of Object.entries(payloads))
    it(`are read: ${name}`, async () => {
      const unreadable: string[] = [];
      await using world = await openWorld({ deps: { countUnreadable: (kind) => unreadable.push(kind) } });
      const { host, room, ada } = world;
      room.member(sender, "join");
      room.post(sender, type, content, more);
      const end = room.say(ada, "the end");
      await host.until(() => host.events.some(({ id }) => id === end), "Ada is heard");
      assert.deepEqual(host.events.slice(0, -1).map(summaryOf), expected[name]);
      assert.deepEqual(unreadable, []);
    });
});
