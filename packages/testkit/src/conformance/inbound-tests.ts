import assert from "node:assert/strict";
import { inboundEventSchema } from "@talaria/protocol";
import { type ConformanceTest, messageOf, outbound } from "./conformance-test.ts";

/** What comes in: who, once, in order, recorded before it is acknowledged. */
export const inboundTests: readonly ConformanceTest[] = [
  {
    name: "a message is attributed to a person with a stable id",
    async run({ harness, host }) {
      await harness.deliver("one");
      await harness.deliver("two");
      for (const event of await host.recorded(2)) {
        assert.equal(event.sender.role, "person");
        assert.equal(event.sender.userId, harness.person);
        assert.notEqual(event.sender.userId, "");
        assert.equal(event.conversation.conversationId, harness.conversation.conversationId);
        assert.equal(event.conversation.accountId, harness.adapter.id);
        assert.equal(event.conversation.platform, harness.adapter.platform);
      }
      assert.deepEqual(
        host.events.map((event) => messageOf(event).markdown),
        ["one", "two"],
      );
    },
  },
  {
    name: "a redelivered message has the same event id",
    async run({ harness, host }) {
      await harness.deliver("again", { times: 2 });
      await harness.deliver("other");
      const last = () => host.events.some((event) => messageOf(event).markdown === "other");
      await host.until(last, "the message after the redelivered one is recorded");
      const ids = (text: string) =>
        host.events.filter((event) => messageOf(event).markdown === text).map((event) => event.id);
      assert.equal(new Set(ids("again")).size, 1, "one message, one event id");
      assert.notEqual(ids("again")[0], ids("other")[0], "another message, another event id");
    },
  },
  {
    name: "events survive JSON unchanged",
    async run({ harness, host }) {
      await harness.deliver("plain <data> & \u0000 more");
      const [event] = await host.recorded(1);
      assert.deepEqual(JSON.parse(JSON.stringify(event)), event);
      assert.deepEqual(inboundEventSchema.parse(event), event);
      assert.ok(!JSON.stringify(event).includes("\\u0000"), "U+0000 is refused by stores");
    },
  },
  {
    name: "own messages are marked self, or not delivered",
    without: ({ deliverOwn }) => (deliverOwn ? undefined : "the platform never shows an account what it wrote itself"),
    async run({ harness, host }) {
      await harness.deliverOwn?.("mine");
      await harness.deliver("theirs");
      const theirs = () => host.events.find((event) => messageOf(event).markdown === "theirs");
      await host.until(() => theirs() !== undefined, "the person's message is recorded");
      assert.equal(theirs()?.sender.role, "person");
      for (const event of host.events)
        if (event !== theirs()) assert.equal(event.sender.role, "self", "an own message looks like somebody else's");
    },
  },
  {
    name: "nothing is acknowledged that the host did not record",
    without: ({ acknowledged }) => (acknowledged ? undefined : "the platform wants no acknowledgement"),
    async run({ harness, host }) {
      const acknowledged = () => harness.acknowledged?.();
      const release = host.hold();
      await harness.deliver("wait for me");
      await host.until(() => host.offered.length > 0, "the event is offered");
      await host.calm();
      assert.equal(acknowledged(), 0, "acknowledged while the host was still recording");
      release();
      await host.until(() => acknowledged() === 1, "the recorded message is acknowledged");
    },
  },
  {
    name: "a host that rejects leaves the event to be redelivered",
    async run({ harness, host }) {
      host.refuse(2);
      await harness.deliver("keep me");
      const [event] = await host.recorded(1);
      assert.equal(messageOf(event).markdown, "keep me");
      assert.equal(host.offered.length, 3);
      assert.equal(new Set(host.offered.map((offer) => offer.id)).size, 1);
      const isAcknowledged = () => (harness.acknowledged?.() ?? 1) === 1;
      await host.until(isAcknowledged, "the message is acknowledged in the end");
    },
  },
  {
    name: "events of one conversation come in order, also around a rejection",
    async run({ harness, host }) {
      const texts = Array.from({ length: 20 }, (_, n) => `message ${n}`);
      const release = host.hold();
      for (const text of texts) await harness.deliver(text);
      await host.until(() => host.offered.length > 0, "the first event is offered");
      host.refuse(1);
      release();
      const lastIsIn = () => host.events.some((event) => messageOf(event).markdown === texts.at(-1));
      await host.until(lastIsIn, "all messages are recorded");
      const order = [...new Set(host.events.map((event) => messageOf(event).markdown))];
      assert.deepEqual(order, texts);
    },
  },
  {
    name: "an edit keeps the message id",
    without: ({ edit }) =>
      edit ? undefined : "nobody changes a message after it was sent, or the platform doesn't tell",
    async run({ harness, host }) {
      const messageId = await harness.deliver("first thought");
      await host.recorded(1);
      await harness.edit?.(messageId, "second thought");
      const [created, edited] = await host.recorded(2);
      assert.equal(edited?.type, "message.edited");
      assert.equal(messageOf(edited).messageId, messageId);
      assert.equal(messageOf(created).messageId, messageId);
      assert.equal(messageOf(edited).markdown, "second thought");
      assert.notEqual(edited?.id, created?.id, "an edit is an event of its own");
    },
  },
  {
    name: "a message in a thread carries its thread, and answers go there",
    without: ({ threads }) => (threads ? undefined : "there are no threads beside a conversation"),
    async run({ harness, host, signal }) {
      await harness.deliver("in a thread", { thread: true });
      await host.recorded(1);
      await harness.deliver("beside it");
      const [inside, beside] = await host.recorded(2);
      assert.ok(inside?.conversation.threadId, "the thread is missing");
      assert.equal(beside?.conversation.threadId, undefined, "a message outside has no thread");
      await harness.adapter.send({ ...outbound(harness, "an answer"), conversation: inside.conversation }, signal);
      assert.equal(harness.posted().at(-1)?.threadId, inside.conversation.threadId);
    },
  },
  {
    name: "media opens and closes",
    without: ({ adapter }) => (adapter.capabilities.receive ? undefined : "the adapter receives no files"),
    async run({ harness, host, signal }) {
      const bytes = Uint8Array.from({ length: 100_000 }, (_, n) => (n * 7) % 251);
      await harness.deliver("look", { media: bytes });
      const [attachment] = messageOf((await host.recorded(1))[0]).attachments;
      assert.ok(attachment, "the attachment is missing");
      assert.ok(harness.adapter.openMedia, "the adapter cannot open what it delivers");
      const whole = await new Response(await harness.adapter.openMedia(attachment.ref, signal)).bytes();
      assert.ok(Buffer.from(bytes).equals(whole), "other bytes came out");
      const unread = await harness.adapter.openMedia(attachment.ref, signal);
      await unread.cancel();
    },
  },
];
