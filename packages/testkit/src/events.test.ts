import assert from "node:assert/strict";
import { it } from "node:test";
import { inboundEventSchema } from "@talaria/protocol";
import { attachmentFrom, messageFrom, sampleEvents } from "./events.ts";

it("makes events that pass the codec unchanged, one of each type", () => {
  const events = sampleEvents({ thread: "t1", kind: "group", title: "Ops", attachments: [attachmentFrom()] });
  for (const event of events) {
    const copy: unknown = JSON.parse(JSON.stringify(event));
    assert.deepEqual(inboundEventSchema.parse(copy), event);
  }
  assert.deepEqual(
    events.map((event) => event.type).sort(),
    inboundEventSchema.options.map((option) => option.shape.type.value).sort(),
  );
});

it("never gives two events the same id or two messages the same message id", () => {
  const events = Array.from({ length: 50 }, () => messageFrom());
  assert.equal(new Set(events.map((event) => event.id)).size, 50);
  assert.equal(new Set(events.map((event) => event.message.messageId)).size, 50);
  const instants = events.map((event) => event.occurredAt);
  assert.deepEqual(instants, [...instants].sort());
});
