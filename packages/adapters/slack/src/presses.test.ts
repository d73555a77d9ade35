import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Acceptance, type AcceptOptions, brandAs, type DeliveryKey, type InboundEvent } from "@talaria/protocol";
import { messageTo, RecordingHost } from "@talaria/testkit";
import { conversation, makeWorld, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const colours = [
  { id: "green", label: "Green" },
  { id: "black", label: "Black" },
];
const refused = { kind: "answer", code: 500, effect: "none" } as const;

async function refuse(_event: InboundEvent, options?: AcceptOptions): Promise<Acceptance> {
  options?.tellRefused?.("Only an owner can decide that.");
  return "dropped";
}

describe("a press of a button", () => {
  it("takes the buttons away and says below the words what was chosen", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const sent = await adapter.send(messageTo(conversation(channel.id), "**Which**?", { choices: colours }), signal);
    channel.press(ada, sent.messageId, "green");
    await host.until(() => channel.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    assert.equal(channel.botMessages()[0]?.text, "**Which**?\n✓ Green");
    assert.deepEqual(channel.whispersTo(ada), []);
  });

  it("leaves a list of questions as it is, until the house shows what is left", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const choices = [1, 2, 3].flatMap((n) => [
      { id: `approve-0000000${n}`, label: `Approve ${n}`, row: n },
      { id: `deny-0000000${n}`, label: `Deny ${n}`, row: n },
    ]);
    const sent = await adapter.send(messageTo(conversation(channel.id), "All?", { choices }), signal);
    channel.press(ada, sent.messageId, "approve-00000002");
    channel.press(ada, sent.messageId, "deny-00000001");
    await host.recorded(2);
    await adapter.stop();
    assert.deepEqual(
      channel.botMessages()[0]?.buttons.map(({ label }) => label),
      choices.map(({ label }) => label),
    );
    assert.equal(channel.botMessages()[0]?.text, "All?");
  });

  it("leaves one question as it is, too: it may have decided nothing", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const choices = ["approve", "deny"].map((verb) => ({ id: `${verb}-00000001`, label: verb }));
    const sent = await adapter.send(messageTo(conversation(channel.id), "May I?", { choices }), signal);
    channel.press(ada, sent.messageId, "approve-00000001");
    await host.recorded(1);
    await adapter.stop();
    assert.deepEqual(
      channel.botMessages()[0]?.buttons.map(({ label }) => label),
      ["approve", "deny"],
    );
    assert.equal(channel.botMessages()[0]?.text, "May I?");
  });

  it("chooses in a menu where there are more than five, and closes it", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const choices = Array.from({ length: 100 }, (_, n) => ({ id: `c-${n}`, label: `Choice\n${n} ${"x".repeat(90)}` }));
    const sent = await adapter.send(messageTo(conversation(channel.id), "Which?", { choices }), signal);
    const shown = channel.botMessages()[0]?.buttons;
    assert.equal(shown?.length, 100);
    channel.press(ada, sent.messageId, "c-70");
    const [event] = await host.recorded(1);
    assert.ok(event?.type === "action.invoked");
    assert.deepEqual([event.actionId, event.label], ["c-70", shown?.[70]?.label]);
    await host.until(() => channel.botMessages()[0]?.buttons.length === 0, "the menu is gone");
    assert.equal(channel.botMessages()[0]?.text, `Which?\n✓ ${shown?.[70]?.label}`);
  });

  it("keeps the words of a message that was streamed", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    const thread = channel.say(ada, "hello", { mentionBot: true });
    channel.say(ada, "hello again", { mentionBot: true, thread });
    await host.recorded(2);
    const place = conversation(channel.id, thread);
    const view = await adapter.openReply?.({ conversation: place }, signal);
    await view?.update("Which", signal);
    const sent = await view?.finish(messageTo(place, "Which?", { choices: colours }), signal);
    channel.press(ada, sent?.messageId ?? "", "green");
    await host.until(() => channel.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    assert.equal(channel.botMessages()[0]?.text, "Which?\n✓ Green");
  });

  it("that comes too late begins nothing, and whoever pressed is told what was chosen", async () => {
    await using world = await openWorld();
    const { server, adapter, host, channel, ada } = world;
    const bob = server.user("bob");
    channel.state.members.add(bob.id).add(ada.id);
    host.takesOnePress = true;
    const sent = await adapter.send(messageTo(conversation(channel.id), "Which?", { choices: colours }), signal);
    const release = host.hold();
    channel.press(ada, sent.messageId, "green");
    channel.press(bob, sent.messageId, "black");
    release();
    await host.until(() => channel.whispersTo(bob).length === 1, "Bob is told");
    assert.deepEqual(channel.whispersTo(bob), ["This was answered already: Green"]);
    await host.until(() => channel.botMessages()[0]?.buttons.length === 0, "the buttons are gone");
    await host.calm();
    assert.deepEqual([host.events.length, channel.botMessages()[0]?.text], [1, "Which?\n✓ Green"]);
  });

  it("of who may not leaves the buttons to others", async () => {
    await using world = await openWorld();
    const { adapter, host, channel, ada } = world;
    channel.state.members.add(ada.id);
    host.accept = async () => "dropped";
    const sent = await adapter.send(messageTo(conversation(channel.id), "Which?", { choices: colours }), signal);
    channel.press(ada, sent.messageId, "green");
    await host.until(() => channel.whispersTo(ada).length === 1, "Ada is told");
    assert.deepEqual(channel.whispersTo(ada), ["This button is not for you."]);
    assert.equal(channel.botMessages()[0]?.buttons.length, 2);
    host.accept = refuse;
    channel.press(ada, sent.messageId, "green");
    await host.until(() => channel.whispersTo(ada).length === 2, "Ada is told why");
    assert.equal(channel.whispersTo(ada)[1], "Only an owner can decide that.");
  });

  it("of who may not is answered by the house in a direct conversation, where nothing can be shown to one alone", async () => {
    await using world = await openWorld();
    const { server, adapter, host, ada } = world;
    const direct = server.direct(ada);
    let could: boolean | undefined;
    host.accept = async (event, options) => {
      could = options?.tellRefused !== undefined;
      return refuse(event, options);
    };
    const sent = await adapter.send(messageTo(conversation(direct.id), "Which?", { choices: colours }), signal);
    direct.press(ada, sent.messageId, "green");
    await host.until(() => could !== undefined, "the press was heard");
    assert.equal(could, false);
  });

  it("shows the first choice after a crash that came before it could, and nothing that was chosen later", async () => {
    const { server, make, channel, ada } = await makeWorld();
    channel.state.members.add(ada.id);
    const first = new RecordingHost(30_000);
    const before = make();
    await before.start(first);
    const deliveryKey = brandAs<DeliveryKey>("d");
    const asked = messageTo(conversation(channel.id), "Which?", { choices: colours, deliveryKey });
    const sent = await before.send(asked, signal);
    server.fail("chat.update", refused);
    channel.press(ada, sent.messageId, "green");
    await first.until(() => server.calls.of("chat.update").length === 1, "the change was tried");
    await before.stop();
    const host = new RecordingHost(30_000);
    host.accept = async () => "duplicate";
    const after = make();
    await after.start(host);
    channel.press(ada, sent.messageId, "black");
    await host.until(() => channel.botMessages()[0]?.text === "Which?\n✓ Green", "the choice is shown");
    await host.until(() => channel.whispersTo(ada).length === 1, "Ada is told");
    assert.deepEqual(channel.whispersTo(ada), ["This was answered already: Green"]);
    await after.stop();
    await server.stop();
  });
});
