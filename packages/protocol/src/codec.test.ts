import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inboundEventSchema, streamFrameSchema } from "./codec.ts";
import type { InboundEvent } from "./inbound.ts";
import type { StreamFrame } from "./stream.ts";

const whole = {
  type: "message.created",
  id: "u1",
  conversation: {
    accountId: "main",
    platform: "telegram",
    conversationId: "-5",
    threadId: "3",
    kind: "group",
    title: "Team",
  },
  sender: { userId: "42", role: "person", displayName: "Ada", handle: "ada", assurance: "platform" },
  occurredAt: "2026-11-20T10:00:00.000Z",
  receivedAt: "2026-11-20T10:00:01.000Z",
  message: {
    messageId: "9",
    markdown: "hello",
    attachments: [{ kind: "image", mimeType: "image/png", name: "a.png", byteLength: 3, ref: "file" }],
    mentions: ["7"],
    mentionsSelf: true,
    repliesToSelf: false,
    replyTo: "8",
    quote: {
      userId: "7",
      displayName: "Bob",
      markdown: "hi",
      attachments: [{ kind: "file", mimeType: "text/plain", name: "b.txt", byteLength: 4, ref: "other" }],
    },
  },
} as unknown as InboundEvent;

const frame = { accountId: "main", sessionKey: "main/-5", turnId: "t-1", fence: 2, n: 0 };

describe("inboundEventSchema", () => {
  it("reads back every field of an event that went through JSON", () => {
    assert.deepEqual(inboundEventSchema.parse(JSON.parse(JSON.stringify(whole))), whole);
  });

  it("reads every type of event", () => {
    const { message: _, ...base } = whole as Extract<InboundEvent, { type: "message.created" }>;
    for (const rest of [
      { type: "message.deleted", messageId: "9" },
      { type: "reaction.added", messageId: "9", emoji: "+1" },
      { type: "reaction.removed", messageId: "9", emoji: "+1" },
      { type: "action.invoked", messageId: "9", actionId: "stop" },
    ])
      assert.deepEqual(inboundEventSchema.parse({ ...base, ...rest }), { ...base, ...rest });
  });

  it("refuses what is not an event", () => {
    const damaged = [
      { ...whole, id: "" },
      { ...whole, id: "x".repeat(513) },
      { ...whole, type: "message.lost" },
      { ...whole, occurredAt: "yesterday" },
      { ...whole, sender: { userId: "42" } },
      { ...whole, message: undefined },
      null,
      [],
    ];
    for (const event of damaged) assert.equal(inboundEventSchema.safeParse(event).success, false);
  });
});

describe("streamFrameSchema", () => {
  it("reads every type of frame, under keys as long as ids allow", () => {
    const frames: unknown[] = [
      { ...frame, type: "started", conversation: whole.conversation, replyTo: "9" },
      { ...frame, type: "delta", offset: 0, text: "he", sessionKey: "k".repeat(10_000) },
      { ...frame, type: "status", label: "looking" },
      { ...frame, type: "ended", status: "completed" },
    ];
    for (const given of frames) {
      const read: StreamFrame = streamFrameSchema.parse(given);
      assert.deepEqual(read, given);
    }
  });

  it("refuses a frame without place or fence", () => {
    for (const damage of [{ n: -1 }, { n: 0.5 }, { fence: "2" }, { type: "delta", offset: -1, text: "" }])
      assert.equal(streamFrameSchema.safeParse({ ...frame, type: "status", label: "x", ...damage }).success, false);
  });
});
