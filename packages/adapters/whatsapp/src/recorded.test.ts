import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { openCloudWorld } from "./testing/cloud-world.ts";

const file = await readFile(new URL("./recorded/notifications.json", import.meta.url), "utf8");
const { payloads } = JSON.parse(file) as { payloads: Readonly<Record<string, unknown>> };

/** What the agent would read of it. */
function summaryOf(event: InboundEvent): string {
  switch (event.type) {
    case "message.created":
    case "message.edited": {
      const { markdown, attachments, messageId } = event.message;
      const files = attachments.map(({ kind, mimeType, voice }) => `<${voice ? "voice" : kind} ${mimeType}>`);
      const changed = event.type === "message.edited" ? `edit of ${messageId}` : "";
      return [changed, markdown, ...files].filter(Boolean).join(" ");
    }
    case "message.deleted":
      return `${event.type} ${event.messageId}`;
    case "action.invoked":
      return `${event.type} ${event.messageId} ${event.actionId} "${event.label}"`;
    default:
      return `${event.type} ${event.messageId} ${event.emoji}`;
  }
}

const expected: Readonly<Record<string, readonly string[]>> = {
  text: ["Does it come in another color?"],
  "text from an ad": [
    "Can I get more info about this?\n[came from an ad: Chat with us, Plants for everybody, https://fb.me/sample]",
  ],
  "text about a product": ["Is this available in red?\n[about the product di9ozbzfi4 of catalog 194836987003835]"],
  "forwarded text": ["look at this\n[forwarded]"],
  image: ["my dog <image image/jpeg>"],
  voice: ["<voice audio/ogg>"],
  document: ["the rules <file application/pdf>"],
  sticker: ["<image image/webp>"],
  reaction: ["reaction.added wamid.OURS= 👍"],
  "reaction taken back": ["reaction.removed wamid.OURS= "],
  "button reply": ['action.invoked wamid.OURS= yes "Yes"'],
  "list reply": ['action.invoked wamid.OURS= express "Express"'],
  "answer to a flow": ['[form: size: L, extras: "ribbon"]'],
  "template button": ["Unsubscribe"],
  location: ["[location: 40.782910059774, -73.959075808525, Museum, 1071 5th Ave]"],
  contacts: ["[contact: Grace Hopper, +1 650 555 9999]"],
  order: ["[order: Please gift wrap, 2 x di9ozbzfi4 at 30 USD, 1 x nqryix03ez at 25 USD]"],
  system: [],
  unsupported: ["[a message of the type poll_creation that WhatsApp does not pass on]"],
  edit: ["edit of wamid.FIRST= my cat <image image/jpeg>"],
  revoke: ["message.deleted wamid.FIRST="],
  "in a group": [],
  "status delivered": ["delivered wamid.OURS="],
  "status failed": ["failed wamid.OURS="],
  "notification of a link click": [],
};

describe("the sample notifications of the Cloud API", () => {
  it("are all here", () => assert.deepEqual(Object.keys(payloads), Object.keys(expected)));

  for (const [name, payload] of Object.entries(payloads))
    it(`are read: ${name}`, async () => {
      const unreadable: string[] = [];
      const deps = {
        catchUpMs: 100 * 365 * 24 * 60 * 60_000,
        countUnreadable: (kind: string) => unreadable.push(kind),
      };
      await using world = await openCloudWorld({ deps });
      assert.equal((await world.server.post(JSON.stringify(payload))).status, 200);
      const { events, receipts } = world.host;
      const outcomes = receipts.map(({ status, messageId }) => `${status} ${messageId}`);
      assert.deepEqual([...events.map(summaryOf), ...outcomes], expected[name]);
      assert.deepEqual(unreadable, []);
      for (const { sender } of events)
        assert.deepEqual([sender.userId, sender.displayName], ["16505551234", "Ada Lovelace"]);
    });
});
