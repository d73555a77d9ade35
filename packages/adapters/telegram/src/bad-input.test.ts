import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOf } from "@talaria/testkit";
import type { User } from "grammy/types";
import { conversation, message, open, signal } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof open>>;

/** What the host is offered for one message of Ada's chat with these fields. */
async function offeredFor(world: World, fields: object) {
  const { server, chat, ada, host } = world;
  const base = { message_id: 5_000, date: 1_790_000_000, chat: { id: chat.id, type: "private" }, from: ada, text: "x" };
  server.raw({ message: { ...base, ...fields } });
  chat.say(ada, "the next one");
  await host.until(
    () => host.events.some((event) => "message" in event && event.message.markdown === "the next one"),
    "the neighbour came in",
  );
  return host.events.filter((event) => !("message" in event) || event.message.markdown !== "the next one");
}

describe("who wrote (3A)", () => {
  const listed = 42;
  const cases: readonly [row: string, from: unknown, userId: string, role: string][] = [
    ["A03 nobody", undefined, "chat", "unknown"],
    ["A03 an empty id", { id: "", first_name: "Owner" }, "chat", "unknown"],
    ["A03 no id", { first_name: "Owner" }, "chat", "unknown"],
    ["A04 an id that ends with a listed one", { id: 1_042, first_name: "x" }, "1042", "person"],
    ["A04 an id that begins with a listed one", { id: "420", first_name: "x" }, "420", "person"],
    ["A05 a listed person's handle", { id: 7, first_name: "x", username: "owner" }, "7", "person"],
    ["A06 the owner's name in other letters", { id: 7, first_name: "\u041Ewner\u202E\u200B" }, "7", "person"],
    ["A19 ourselves", "self", "self", "self"],
    ["A19 another bot", { id: 9, is_bot: true, first_name: "x" }, "9", "bot"],
  ];
  for (const [row, from, userId, role] of cases)
    it(`${row} is ${role} ${userId}`, async () => {
      await using world = await open();
      const { server, chat } = world;
      const [event, ...others] = await offeredFor(world, { from: from === "self" ? server.botUser : from });
      assert.ok(event && others.length === 0);
      const ids: Record<string, string> = { chat: String(chat.id), self: String(server.botUser.id) };
      assert.deepEqual([event.sender.userId, event.sender.role], [ids[userId] ?? userId, role]);
      assert.notEqual(event.sender.userId, String(listed));
      assert.doesNotMatch(event.sender.displayName, /[\u202E\u200B]/);
    });

  it("A07 a group is known by its id, whatever its title", async () => {
    await using world = await open();
    const chat = { id: -5, type: "group", title: "telegram:group:-1001" };
    const [event] = await offeredFor(world, { chat });
    assert.equal(event?.conversation.conversationId, "-5");
  });

  it("A09 edits, reactions and presses of a stranger name the stranger", async () => {
    await using world = await open();
    const { server, chat, host } = world;
    const stranger: User = { id: 666, is_bot: false, first_name: "Mallory" };
    const at = { chat: { id: chat.id, type: "private" }, message_id: 3, date: 1_790_000_000 };
    server.raw({ edited_message: { ...at, from: stranger, text: "x", edit_date: 1_790_000_001 } });
    server.raw({ callback_query: { id: "1", chat_instance: "1", data: "yes", from: stranger, message: at } });
    server.raw({
      message_reaction: { ...at, user: stranger, old_reaction: [], new_reaction: [{ type: "emoji", emoji: "👍" }] },
    });
    const events = await host.recorded(3);
    assert.deepEqual(new Set(events.map(({ sender }) => sender.userId)), new Set(["666"]));
  });

  it("A12 the words somebody quotes are the quoted person's", async () => {
    await using world = await open();
    const quoted = { message_id: 2, date: 1, chat: { id: 1 }, from: { id: 666, first_name: "Mallory" }, text: "obey" };
    const [event] = await offeredFor(world, { reply_to_message: quoted });
    assert.ok(event?.type === "message.created");
    assert.deepEqual([event.message.quote?.userId, event.message.markdown], ["666", "x"]);
  });
});

describe("files (3F)", () => {
  for (const name of [
    "../../etc/passwd",
    "%2e%2e/x",
    "a\u0000b",
    "/abs",
    "\\\\host\\share",
    "file:///x",
    "x".repeat(5_000),
  ])
    it(`F01 a file named ${JSON.stringify(name.slice(0, 20))} is known by Telegram's id`, async () => {
      await using world = await open();
      const document = { file_id: "F", file_name: name, mime_type: "application/pdf" };
      const [event] = await offeredFor(world, { document, text: undefined });
      assert.ok(event?.type === "message.created");
      const [file] = event.message.attachments;
      assert.equal(file?.ref, "F");
      assert.ok((file?.name ?? "").length <= 80 && !file?.name?.includes("\u0000"));
    });

  for (const file_path of ["../../../secret", "/etc/passwd", "documents/../../x", "./x", "a/./b"])
    it(`F01 a file that the server places at ${file_path} is not fetched`, async () => {
      await using world = await open();
      const { server, adapter, chat, ada, host } = world;
      chat.sendDocument(ada, { bytes: Uint8Array.of(1) });
      const [event] = await host.recorded(1);
      const [file] = event?.type === "message.created" ? event.message.attachments : [];
      assert.ok(file);
      const body = JSON.stringify({ ok: true, result: { file_id: file.ref, file_unique_id: "x", file_path } });
      server.fail("getFile", { kind: "answer", code: 200, body, effect: "none" });
      assert.equal(await codeOf(adapter.openMedia?.(file.ref, signal)), "unsupported");
      assert.equal(server.calls.count("download"), 0);
    });

  it("F08 a file that is announced as larger than 20 MB is refused before it is fetched", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    chat.sendDocument(ada, { bytes: Uint8Array.of(1), size: 20 * 1024 * 1024 + 1 });
    const [event] = await host.recorded(1);
    const [file] = event?.type === "message.created" ? event.message.attachments : [];
    assert.ok(file);
    assert.equal(await codeOf(adapter.openMedia?.(file.ref, signal)), "too_large");
  });
});

describe("what goes out (3F)", () => {
  for (const markdown of [
    "![x](file:///srv/app/.env)",
    "[x](javascript:alert(1))",
    "# T\n\n![x](file:///srv/app/.env)",
  ])
    it(`F02 ${JSON.stringify(markdown)} stays words`, async () => {
      await using world = await open();
      const { adapter, chat } = world;
      await adapter.send(message(0, markdown, { conversation: conversation(chat.id) }), signal);
      const [sent] = chat.botMessages();
      assert.equal(sent?.media, undefined);
      assert.doesNotMatch(`${sent?.html}${JSON.stringify(sent?.rich ?? [])}`, /href|"url"/);
    });
});

describe("what can't be read is counted by its kind", () => {
  for (const [name, update, kinds] of [
    ["a message without a chat", { message: { message_id: 1, text: "x" } }, ["message"]],
    ["a photo without sizes", { message: { message_id: 1, chat: { id: 9 }, photo: [] } }, ["message.photo"]],
    [
      "an edit whose text is a number",
      { edited_message: { message_id: 1, chat: { id: 9 }, text: 7 } },
      ["edited_message.text"],
    ],
    [
      "a press on an odd message",
      { callback_query: { id: "1", data: "x", message: { chat: 7 } } },
      ["callback_query.message"],
    ],
    ["reactions that are no list", { message_reaction: { chat: { id: 9 }, message_id: 1 } }, ["message_reaction"]],
    ["a press on a button of an inline message", { callback_query: { id: "1", data: "x" } }, []],
    ["a service message", { message: { message_id: 1, chat: { id: 9 }, new_chat_title: "x" } }, []],
    ["an update of a kind that is not ours", { channel_post: { message_id: 1 } }, []],
    ["a null, which is an absence", { message: { message_id: 1, chat: { id: 9 }, photo: null, text: "x" } }, []],
  ] as const)
    it(`${name}: ${kinds.join() || "nothing"}`, async () => {
      const unreadable: string[] = [];
      await using world = await open({ countUnreadable: (kind) => unreadable.push(kind) });
      const { server, chat, ada, host } = world;
      server.raw(update);
      chat.say(ada, "the next one");
      await host.until(() => host.events.length > (name.startsWith("a null") ? 1 : 0), "the neighbour came in");
      assert.deepEqual(unreadable, kinds);
    });
});
