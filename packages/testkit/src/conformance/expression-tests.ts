import assert from "node:assert/strict";
import { brandAs, type MediaRef } from "@talaria/protocol";
import { abilitiesIn, type ConformanceTest, needed, outbound, sampleFile } from "./conformance-test.ts";

/** What goes beyond text. Each test applies to the adapters whose capabilities promise it. */
export const expressionTests: readonly ConformanceTest[] = [
  {
    name: "a file goes out whole, under its name",
    without: ({ adapter }) => (adapter.capabilities.send ? undefined : "the adapter sends no files"),
    async run({ harness, signal }) {
      const { adapter } = harness;
      const { ref, name, mimeType, bytes } = sampleFile;
      const attachments = [{ ref: brandAs<MediaRef>(ref), name, mimeType }];
      const sent = await adapter.send({ ...outbound(harness, "the numbers"), attachments }, signal);
      const posted = harness.posted();
      assert.equal(posted.length, 1, `${posted.length} messages for one file`);
      assert.equal(posted[0]?.messageId, sent.messageId);
      assert.ok(posted[0]?.text.includes("the numbers"), "the words beside the file");
      const files = posted[0]?.files?.map((file) => ({ name: file.name, text: Buffer.from(file.bytes).toString() }));
      assert.deepEqual(files, [{ name, text: bytes.toString() }]);
    },
  },
  {
    name: "choices become buttons, and a press comes back with its id and label",
    without: ({ adapter }) => (adapter.capabilities.choices ? undefined : "the adapter has no buttons"),
    async run({ harness, host, signal }) {
      const { adapter } = harness;
      const press = needed(harness.press, "an adapter with buttons needs `press` of its harness");
      const choices = [
        { id: "left_1", label: "Go left" },
        { id: "right-2", label: "Go right" },
      ];
      const sent = await adapter.send({ ...outbound(harness, "Which way?"), choices }, signal);
      assert.deepEqual(harness.posted()[0]?.buttons, ["Go left", "Go right"]);
      await press(sent.messageId, "Go right");
      const [event] = await host.recorded(1);
      assert.ok(event?.type === "action.invoked", `expected a press, got ${event?.type}`);
      assert.equal(event.actionId, "right-2");
      assert.ok(event.label === undefined || event.label === "Go right", "the label, where the platform tells");
      assert.equal(event.messageId, sent.messageId);
      assert.equal(event.sender.userId, harness.person);
      await adapter.edit?.(sent, "Right it is.", signal);
      if (adapter.edit) assert.deepEqual(harness.posted()[0]?.buttons ?? [], [], "buttons after an edit without them");
    },
  },
  {
    name: "a press closes the choices, and a second one begins nothing",
    without: ({ adapter }) => (adapter.capabilities.choices?.close ? undefined : "the adapter leaves its buttons open"),
    async run({ harness, host, signal }) {
      const { adapter } = harness;
      const press = needed(harness.press, "an adapter with buttons needs `press` of its harness");
      const choices = [
        { id: "left_1", label: "Go left" },
        { id: "right-2", label: "Go right" },
      ];
      const sent = await adapter.send({ ...outbound(harness, "Which way?"), choices }, signal);
      host.takesOnePress = true;
      const release = host.hold();
      const pressed = [press(sent.messageId, "Go right"), press(sent.messageId, "Go left")];
      release();
      await Promise.all(pressed);
      await host.until(() => host.offered.length === 2, "both presses are offered");
      await host.until(() => harness.posted()[0]?.buttons?.length === 0, "nothing can be pressed any more");
      assert.deepEqual(
        host.events.map((event) => event.type === "action.invoked" && event.actionId),
        ["right-2"],
      );
      await host.calm();
      const shown = harness.posted()[0];
      const said = `${shown?.text} ${shown?.chosen ?? ""}`;
      assert.match(said, /Which way\?[\s\S]*Go right/);
      assert.doesNotMatch(said, /Go left/);
    },
  },
  {
    name: "a reaction is put on and taken away",
    without: ({ adapter }) => (adapter.react ? undefined : "the adapter does not react"),
    async run({ harness, host, signal }) {
      const { adapter } = harness;
      const reactions = needed(harness.reactions, "an adapter that reacts needs `reactions` of its harness");
      const messageId = await harness.deliver("react to this");
      await host.recorded(1);
      const { conversation } = host.events[0] ?? harness;
      const ref = { conversation, messageId };
      const shown = () => reactions(messageId);
      await adapter.react?.(ref, "👀", signal);
      await adapter.react?.(ref, "👀", signal);
      assert.deepEqual(shown(), ["👀"]);
      await adapter.unreact?.(ref, "👀", signal);
      await adapter.unreact?.(ref, "👀", signal);
      assert.deepEqual(shown(), []);
    },
  },
  {
    name: "a deleted message is gone",
    without: ({ adapter }) => (adapter.delete ? undefined : "the adapter deletes nothing"),
    async run({ harness, signal }) {
      const { adapter } = harness;
      const sent = await adapter.send(outbound(harness, "soon gone"), signal);
      await adapter.delete?.(sent, signal);
      assert.deepEqual(harness.posted(), []);
    },
  },
  {
    name: "typing is told once per call, and so ends by itself",
    without: (harness) => (abilitiesIn(harness).typing ? undefined : "the adapter does not show typing here"),
    async run({ harness, host, signal }) {
      const { adapter } = harness;
      const typings = needed(harness.typings, "an adapter that shows typing needs `typings` of its harness");
      await harness.deliver("are you there?");
      const [event] = await host.recorded(1);
      const before = typings();
      await adapter.setTyping?.(event?.conversation ?? harness.conversation, signal);
      assert.equal(typings(), before + 1);
      await host.calm();
      assert.equal(typings(), before + 1, "the adapter told again by itself");
    },
  },
  {
    name: "a growing reply ends as one message with the final text",
    without: (harness) => (abilitiesIn(harness).view ? undefined : "a growing reply has no form of its own here"),
    async run({ harness, host, signal }) {
      const { adapter } = harness;
      const openReply = needed(adapter.openReply?.bind(adapter), "an adapter with a view has `openReply`");
      const replyTo = await harness.deliver("tell me");
      const [event] = await host.recorded(1);
      const conversation = event?.conversation ?? harness.conversation;
      const view = await openReply({ conversation, replyTo }, signal);
      await view.update("It", signal);
      await view.update("It grows", signal);
      const sent = await view.finish({ ...outbound(harness, "It grows and ends."), conversation, replyTo }, signal);
      assert.deepEqual(
        harness.posted().map(({ messageId, text }) => ({ messageId, text })),
        [{ messageId: sent.messageId, text: "It grows and ends." }],
      );
    },
  },
];
