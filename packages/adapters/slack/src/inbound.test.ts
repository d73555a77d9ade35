import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { messageOf } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

/** Says nothing of interest and waits until it has come, so that everything before has. */
async function settled(world: Awaited<ReturnType<typeof openWorld>>): Promise<readonly InboundEvent[]> {
  // Order holds within a conversation only.
  world.channel.say(world.ada, "that is all");
  world.direct.say(world.ada, "that is all");
  const isLast = (event: InboundEvent) => event.type === "message.created" && event.message.markdown === "that is all";
  await world.host.until(() => world.host.events.filter(isLast).length === 2, "the last messages came");
  return world.host.events.filter((event) => !isLast(event));
}

describe("what comes in from Slack", () => {
  it("counts a mention once although two events tell of it", async () => {
    await using world = await openWorld();
    world.channel.say(world.ada, "good morning", { mentionBot: true });
    const events = await settled(world);
    assert.equal(new Set(events.map(({ id }) => id)).size, 1);
    const message = messageOf(events[0]);
    assert.equal(message.mentionsSelf, true);
    assert.equal(message.markdown, "good morning", "the address is no part of the text");
    assert.equal(events[0]?.conversation.title, "general");
    assert.equal(events[0]?.conversation.kind, "group");
  });

  it("knows people by id, whatever they call themselves", async () => {
    await using world = await openWorld();
    const twin = world.server.user("ada\u202E\nadmin", { realName: "Ada Lovelace" });
    world.channel.say(world.ada, "one");
    world.channel.say(twin, "two");
    const [one, two] = await settled(world);
    assert.notEqual(one?.sender.userId, two?.sender.userId);
    assert.equal(one?.sender.displayName, "ada");
    assert.equal(two?.sender.displayName, "ada admin");
  });

  it("asks for a name once an hour, and holds nothing up when it cannot be had", async () => {
    await using world = await openWorld();
    world.server.fail("users.info", { kind: "answer", code: 500, effect: "none" });
    for (const text of ["one", "two", "three"]) world.channel.say(world.ada, text);
    const events = await settled(world);
    assert.deepEqual(
      events.map(({ sender }) => sender.displayName),
      [world.ada.id, "ada", "ada"],
    );
    assert.equal(world.server.calls.of("users.info").length, 2);
  });

  it("tells the language that people have chosen, with their names", async () => {
    await using world = await openWorld();
    world.channel.say(world.server.user("eva", { locale: "es-ES" }), "one");
    world.channel.say(world.server.user("odd", { locale: "spanish, I think" }), "two");
    const events = await settled(world);
    assert.deepEqual(
      events.map(({ sender }) => sender.language),
      ["es-ES", undefined],
    );
    assert.equal(world.server.calls.of("users.info").length, 3, "each of them once, and who says the last");
  });

  it("gives bots and apps the role bot, and leaves out what we say", async () => {
    await using world = await openWorld();
    const other = world.server.user("otherbot", { isBot: true });
    world.channel.say(other, "beep", { mentionBot: true });
    world.server.sayAsBot(world.channel, "our own");
    const events = await settled(world);
    assert.deepEqual([...new Set(events.map(({ sender }) => sender.role))], ["bot"]);
    assert.ok(events.every(({ sender }) => sender.userId === other.id));
  });

  it("drops events of another workspace, and says so to Slack", async () => {
    await using world = await openWorld();
    const ts = world.direct.say(world.ada, "ours");
    const outer = { team_id: "T0OTHER", authorizations: [{ team_id: "T0OTHER", user_id: "U0OTHER" }] };
    const forged = world.direct.forge(ts, { ts: "1700000000.000100", text: "theirs" }, outer);
    const events = await settled(world);
    assert.deepEqual(
      events.map((event) => messageOf(event).markdown),
      ["ours"],
    );
    await world.host.until(() => forged.isAcknowledged, "it is not sent again");
  });

  it("tells edits of words, not previews and new answers", async () => {
    await using world = await openWorld();
    const ts = world.channel.say(world.ada, "frist");
    const wire = { ts, user: world.ada.id, text: "frist", type: "message" };
    const preview = { subtype: "message_changed", message: { ...wire, attachments: [{}] }, previous_message: wire };
    world.channel.forge(ts, { ...preview, ts: "1700000000.000100" });
    world.channel.edit(ts, "first");
    const [, edited, ...others] = await settled(world);
    assert.equal(edited?.type, "message.edited");
    assert.equal(messageOf(edited).markdown, "first");
    assert.deepEqual(others, []);
  });

  it("tells deletions and reactions, with the emoji people see", async () => {
    await using world = await openWorld();
    const ts = world.channel.say(world.ada, "oops");
    world.channel.react(world.ada, ts, "+1");
    world.channel.unreact(world.ada, ts, "+1");
    world.channel.react(world.ada, ts, "party-parrot");
    world.channel.delete(ts);
    const [, added, removed, custom, deleted] = await settled(world);
    assert.deepEqual(
      [added?.type, removed?.type, deleted?.type],
      ["reaction.added", "reaction.removed", "message.deleted"],
    );
    assert.ok(added?.type === "reaction.added" && added.emoji === "👍");
    assert.ok(custom?.type === "reaction.added" && custom.emoji === ":party-parrot:");
    assert.ok(deleted?.type === "message.deleted" && deleted.messageId === ts);
    assert.notEqual(added?.id, removed?.id);
  });

  it("says when a thread is about a message of ours", async () => {
    await using world = await openWorld();
    const root = world.server.sayAsBot(world.channel, "shall I?");
    world.channel.say(world.ada, "yes", { thread: root });
    const [event] = await settled(world);
    assert.equal(messageOf(event).repliesToSelf, true);
    assert.equal(event?.conversation.threadId, root);
  });

  it("begins a thread with a message that addresses us, if told to", async () => {
    await using world = await openWorld({ settings: { answerInThread: true } });
    const ts = world.channel.say(world.ada, "in a thread, please", { mentionBot: true });
    const beside = world.channel.say(world.ada, "beside");
    const events = await settled(world);
    const threadOf = (id: string) => events.find((event) => messageOf(event).messageId === id)?.conversation.threadId;
    assert.equal(threadOf(ts), ts);
    assert.equal(threadOf(beside), undefined);
  });

  it("turns slash commands into commands, and acknowledges them after they are recorded", async () => {
    await using world = await openWorld();
    const release = world.host.hold();
    const stop = world.channel.command(world.ada, "/talaria", "stop  it");
    await world.host.until(() => world.host.offered.length === 1, "the command is offered");
    await world.host.calm();
    assert.equal(stop.isAcknowledged, false);
    release();
    await world.host.until(() => stop.isAcknowledged, "the command is acknowledged");
    for (const [command, text] of [
      ["/talaria", "what is a loom?"],
      ["/talaria", ""],
      ["/stop", ""],
      ["/deploy", "now"],
    ] as const)
      world.channel.command(world.ada, command, text);
    const events = await settled(world);
    assert.deepEqual(
      events.map((event) => messageOf(event).markdown),
      ["/stop  it", "what is a loom?", "/help", "/stop"],
    );
    assert.ok(events.every((event) => messageOf(event).mentionsSelf && messageOf(event).unseen));
  });

  it("names channels that a text mentions, asked once an hour, and leaves those that we may not see", async () => {
    await using world = await openWorld();
    const other = world.server.channel("design");
    for (const text of [`see <#${other.id}>`, `and <#${other.id}|>`, `or <#${other.id}|given>`, "not <#C0HIDDEN>"])
      world.direct.say(world.ada, text);
    const events = await settled(world);
    assert.deepEqual(
      events.map((event) => messageOf(event).markdown),
      ["see #design", "and #design", "or #given", "not #C0HIDDEN"],
    );
    assert.equal(world.server.calls.of("conversations.info").filter(({ args }) => args.channel === other.id).length, 1);
  });

  it("has files of another workspace that Slack describes only when asked", async () => {
    await using world = await openWorld();
    const ts = world.direct.say(world.ada, "first");
    const files = [
      { id: "F0SHARED", mode: "file_access", file_access: "check_file_info" },
      { id: "F0GONE", mode: "tombstone" },
    ];
    world.direct.forge(ts, { ts: "1700000000.000100", text: "look", files });
    const [, event] = await settled(world);
    const { attachments, markdown } = messageOf(event);
    assert.deepEqual(attachments, [{ kind: "file", mimeType: "application/octet-stream", ref: "F0SHARED" }]);
    assert.equal(markdown, "look\n[a file that was deleted]");
  });

  it("names files that Slack does not keep, and never a path", async () => {
    await using world = await openWorld();
    const bytes = new Uint8Array([1, 2, 3]);
    world.channel.say(world.ada, "", { files: [{ bytes, name: "../../etc/passwd", mimetype: "image/png; x\n" }] });
    const [event] = await settled(world);
    const [file] = messageOf(event).attachments;
    assert.equal(file?.name, "../../etc/passwd", "a name is for showing");
    assert.match(file?.ref ?? "", /^F[A-Z0-9]+$/);
    assert.equal(file?.mimeType, "application/octet-stream");
  });
});
