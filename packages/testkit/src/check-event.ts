import assert from "node:assert/strict";
import { type InboundEvent, inboundEventSchema } from "@talaria/protocol";

/**
 * Fails unless other processes, stores and logs can take an event: it follows the protocol, survives JSON unchanged,
 * has no U+0000 or half characters, and keeps names and ids on one line.
 */
export function checkEvent(event: InboundEvent): void {
  assert.deepEqual(inboundEventSchema.parse(event), event);
  assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
  for (const [path, text] of textsOf(event, "event")) {
    assert.ok(text.isWellFormed(), `${path} has half a character`);
    assert.ok(!text.includes("\0"), `${path} has U+0000`);
    if (!proseFields.test(path)) assert.doesNotMatch(text, /\p{Cc}/u, `${path} has control characters`);
  }
  const { displayName, handle = "" } = event.sender;
  const { title = "" } = event.conversation;
  for (const name of [displayName, handle]) assert.ok([...name].length <= 320, "a name is too long");
  assert.ok([...title].length <= 320, "a title is too long");
  assert.doesNotMatch(`${displayName}${title}`, /[\u202A-\u202E\u2066-\u2069]/u, "a name turns the line around");
}

/** Texts that may have several lines. */
const proseFields = /\.markdown$/;

function textsOf(value: unknown, path: string): readonly (readonly [path: string, text: string])[] {
  if (typeof value === "string") return [[path, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`));
}
