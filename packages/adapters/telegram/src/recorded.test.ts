import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type InboundEvent, inboundEventSchema } from "@talaria/protocol";
import { toEvents } from "./inbound.ts";
import { unreadableIn } from "./unreadable.ts";
import { readUpdate } from "./update.ts";

const file = await readFile(new URL("./recorded/updates.json", import.meta.url), "utf8");
const { payloads } = JSON.parse(file) as { payloads: Readonly<Record<string, unknown>> };
const account = { accountId: brandAs<AccountId>("telegram-main"), selfId: "700", username: "sample_bot" };

/** What the agent would read of it. */
function summaryOf(event: InboundEvent): string {
  if (event.type === "action.invoked") return `${event.type}: ${event.actionId} "${event.label}"`;
  if (event.type !== "message.created" && event.type !== "message.edited") return event.type;
  const { markdown, attachments, quote } = event.message;
  const files = attachments.map(({ kind, mimeType, voice, ref }) => `<${voice ? "voice" : kind} ${mimeType} ${ref}>`);
  return [`${event.type}:`, quote && `"${quote.markdown}" ->`, markdown, ...files].filter(Boolean).join(" ");
}

const file1 = "AwADBAADbXXXXXXXXXXXGBdhD2l6_XX";

const expected: Readonly<Record<string, readonly string[]>> = {
  "message with text": ["message.created: /start"],
  "forwarded message": ["message.created: [forwarded from Grace]\n/start"],
  "forwarded channel message": ["message.created: [forwarded from Sample channel]\n/start"],
  "message with a reply": ['message.created: "Original" -> /start'],
  "edited message": ["message.edited: Edited text"],
  "message with entities": ["message.created: **Bold** and *italics*"],
  "message with audio": [`message.created: <audio audio/mpeg ${file1}>`],
  "voice message": [`message.created: <voice audio/ogg ${file1}>`],
  "message with a document": [`message.created: <file application/pdf ${file1}>`],
  "inline query": [],
  "chosen inline query": [],
  "callback query of an inline message": [],
  "callback query": ['action.invoked: yes "Yes"'],
  "photo with a caption": ["message.created: my dog <image image/jpeg large>"],
  checklist: ["message.created: [checklist: Tea, milk (done) / cups]"],
  "data of a web app": ['message.created: [data of a web app: Order, {"size":"L"}]'],
  "new members": [],
};

describe("the sample updates of the Bot API", () => {
  it("are all here", () => assert.deepEqual(Object.keys(payloads), Object.keys(expected)));

  for (const [name, payload] of Object.entries(payloads))
    it(`are read: ${name}`, () => {
      const update = readUpdate(payload);
      assert.ok(update);
      assert.deepEqual(unreadableIn(payload, update), []);
      const events = toEvents(update, account, Date.UTC(2026, 0, 1));
      assert.deepEqual(events.map(summaryOf), expected[name]);
      for (const event of events) {
        assert.deepEqual(inboundEventSchema.parse(JSON.parse(JSON.stringify(event))), event);
        assert.deepEqual([event.sender.userId, event.sender.displayName], ["1111111", "Ada Lovelace"]);
      }
    });
});
