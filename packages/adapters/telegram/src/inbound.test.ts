import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs, type InboundEvent, type InboundMessage, inboundEventSchema } from "@talaria/protocol";
import fc from "fast-check";
import type { TelegramAccount } from "./account.ts";
import { addedIn, migrationOf, toEvents } from "./inbound.ts";
import { readUpdate } from "./update.ts";

const account: TelegramAccount = {
  accountId: brandAs<AccountId>("telegram-main"),
  selfId: "700",
  username: "Talaria_Bot",
};
const receivedAt = Date.UTC(2026, 10, 20, 10, 0, 5);
const date = Date.UTC(2026, 10, 20, 10, 0, 0) / 1000;

const ada = { id: 42, is_bot: false, first_name: "Ada", last_name: "Lovelace", username: "ada" };
const self = { id: 700, is_bot: true, first_name: "Talaria", username: "Talaria_Bot" };
const inline = { id: 66, is_bot: true, first_name: "Gifs", username: "gifs" };
const direct = { id: 42, type: "private", first_name: "Ada" };
const group = { id: -1001, type: "supergroup", title: "Engine\u202E Room", is_forum: true };

function eventsOf(update: object): readonly InboundEvent[] {
  const read = readUpdate({ update_id: 9, ...update });
  assert.ok(read);
  const events = toEvents(read, account, receivedAt);
  for (const event of events) assert.deepEqual(inboundEventSchema.parse(JSON.parse(JSON.stringify(event))), event);
  return events;
}

function messageOf(fields: object): InboundMessage {
  const [event] = eventsOf({ message: { message_id: 5, from: ada, chat: group, date, ...fields } });
  assert.ok(event?.type === "message.created");
  return event.message;
}

const at = (type: string, offset: number, length: number, more: object = {}) => ({ type, offset, length, ...more });

describe("a message", () => {
  it("tells the language of its sender's app, where Telegram tells one", () => {
    const languageOf = (language_code: unknown) => {
      const from = { ...ada, language_code };
      return eventsOf({ message: { message_id: 5, from, chat: direct, date, text: "hello" } })[0]?.sender.language;
    };
    assert.deepEqual(["de", "pt-br", "", 7, "de_DE", null].map(languageOf), [
      "de",
      "pt-br",
      ...Array(4).fill(undefined),
    ]);
  });

  it("becomes a whole event", () => {
    assert.deepEqual(eventsOf({ message: { message_id: 5, from: ada, chat: direct, date, text: "hello" } }), [
      {
        id: "u9",
        type: "message.created",
        conversation: { accountId: "telegram-main", platform: "telegram", conversationId: "42", kind: "direct" },
        sender: { userId: "42", role: "person", displayName: "Ada Lovelace", handle: "ada", assurance: "platform" },
        occurredAt: "2026-11-20T10:00:00.000Z",
        receivedAt: "2026-11-20T10:00:05.000Z",
        message: {
          messageId: "5",
          markdown: "hello",
          attachments: [],
          mentions: [],
          mentionsSelf: false,
          repliesToSelf: false,
        },
      },
    ]);
  });

  it("that was edited keeps its id and tells when", () => {
    const edited = { message_id: 5, from: ada, chat: direct, date, edit_date: date + 60, text: "new" };
    const [event] = eventsOf({ edited_message: edited });
    assert.ok(event?.type === "message.edited");
    assert.equal(event.message.messageId, "5");
    assert.equal(event.occurredAt, "2026-11-20T10:01:00.000Z");
  });

  it("is in a thread only in a topic", () => {
    const threadOf = (fields: object) =>
      eventsOf({ message: { message_id: 5, from: ada, chat: group, date, text: "x", ...fields } })[0]?.conversation
        .threadId;
    assert.equal(threadOf({ message_thread_id: 7, is_topic_message: true }), "7");
    assert.equal(threadOf({ message_thread_id: 7 }), undefined);
    assert.equal(threadOf({}), undefined);
  });

  it("in a group has a clean title", () => {
    const [event] = eventsOf({ message: { message_id: 5, from: ada, chat: group, date, text: "x" } });
    assert.deepEqual([event?.conversation.kind, event?.conversation.title], ["group", "Engine Room"]);
  });

  for (const [name, message] of Object.entries({
    "a new member": { new_chat_members: [ada] },
    "a pinned message": { pinned_message: {} },
    "a new title": { new_chat_title: "x" },
    "nothing we know": {},
  }))
    it(`that only reports ${name} is nothing anybody said`, () =>
      assert.deepEqual(eventsOf({ message: { message_id: 5, from: ada, chat: group, date, ...message } }), []));

  it("tells of a group that became a supergroup", () => {
    const update = readUpdate({
      update_id: 1,
      message: { message_id: 5, chat: { id: -5 }, migrate_to_chat_id: -1009 },
    });
    assert.deepEqual(update && migrationOf(update), { from: "-5", to: "-1009" });
  });
});

describe("the sender", () => {
  const senderOf = (fields: object) =>
    eventsOf({ message: { message_id: 5, chat: group, date, text: "x", ...fields } })[0]?.sender;

  it("is ourselves, a bot or a person", () => {
    assert.equal(senderOf({ from: self })?.role, "self");
    assert.equal(senderOf({ from: { ...ada, id: 43, is_bot: true } })?.role, "bot");
    assert.equal(senderOf({ from: { id: "42" } })?.role, "person");
    assert.equal(senderOf({ from: { id: "42" } })?.displayName, "42");
  });

  it("is unknown behind a chat, whoever stands in for it", () => {
    const standIn = { id: 1087968824, is_bot: true, first_name: "Group" };
    const hidden = senderOf({ from: standIn, sender_chat: group });
    assert.deepEqual([hidden?.role, hidden?.userId, hidden?.assurance], ["unknown", "-1001", "platform"]);
    assert.deepEqual(
      [senderOf({})?.role, senderOf({})?.userId, senderOf({})?.assurance],
      ["unknown", "-1001", "claimed"],
    );
    assert.equal(senderOf({ from: { first_name: "No Id" } })?.role, "unknown");
  });

  it("has a name on one line of at most 80 characters", () => {
    const name = senderOf({ from: { ...ada, first_name: `A\n\u202E${"a".repeat(5000)}`, last_name: "" } })?.displayName;
    assert.equal(name, `A ${"a".repeat(78)}`);
  });
});

describe("formatting", () => {
  const cases: readonly [text: string, entities: unknown[], markdown: string][] = [
    ["a bold b", [at("bold", 2, 4)], "a **bold** b"],
    ["😀 it is", [at("italic", 3, 2)], "😀 *it* is"],
    ["bold both", [at("bold", 0, 9), at("italic", 5, 4)], "**bold *both***"],
    ["gone", [at("strikethrough", 0, 4)], "~~gone~~"],
    ["a ` b", [at("code", 0, 5)], "``a ` b``"],
    ["`x", [at("code", 0, 2)], "`` `x ``"],
    ["x = 1", [at("pre", 0, 5, { language: "py" })], "```py\nx = 1\n```"],
    ["see x = 1 here", [at("pre", 4, 5)], "see \n```\nx = 1\n```\n here"],
    ["site", [at("text_link", 0, 4, { url: "https://e.org/a b" })], "[site](<https://e.org/a%20b>)"],
    ["one\ntwo\nmine", [at("blockquote", 0, 7)], "> one\n> two\n\nmine"],
    [" b ", [at("bold", 0, 3)], " **b** "],
    ["a\n\nb", [at("bold", 0, 4)], "**a**\n\n**b**"],
    ["a*b <c> # d", [], "a*b <c> # d"],
    ["short", [at("bold", 3, 99)], "short"],
    ["crossing", [at("bold", 0, 4), at("italic", 2, 4)], "**cros**sing"],
    ["in code", [at("code", 0, 7), at("bold", 0, 2)], "`in code`"],
    ["odd", ["no entity", { type: "bold", offset: "1" }, null], "odd"],
  ];
  for (const [text, entities, markdown] of cases)
    it(`writes ${JSON.stringify(text)} as ${JSON.stringify(markdown)}`, () =>
      assert.equal(messageOf({ text, entities }).markdown, markdown));

  it("applies to captions too", () => {
    const { markdown } = messageOf({
      photo: [{ file_id: "p", width: 1, height: 1 }],
      caption: "b",
      caption_entities: [at("bold", 0, 1)],
    });
    assert.equal(markdown, "**b**");
  });
});

describe("being addressed", () => {
  const cases: readonly [text: string, entities: object[], markdown: string, isAddressed: boolean][] = [
    ["@talaria_bot hi", [at("mention", 0, 12)], "hi", true],
    ["@Talaria_Bot, hi", [at("mention", 0, 12)], "hi", true],
    ["@talaria_bot /stop", [at("mention", 0, 12), at("bot_command", 13, 5)], "/stop", true],
    ["  @talaria_bot: /stop", [at("mention", 2, 12), at("bot_command", 16, 5)], "/stop", true],
    ["@talaria_bot /stop@talaria_bot", [at("mention", 0, 12), at("bot_command", 13, 17)], "/stop", true],
    ["@talaria_bot /stop@other_bot", [at("mention", 0, 12), at("bot_command", 13, 15)], "/stop@other_bot", true],
    ["@talaria_bot a bold", [at("mention", 0, 12), at("bold", 15, 4)], "a **bold**", true],
    ["@talaria_bot all bold", [at("bold", 0, 21), at("mention", 0, 12)], "**all bold**", true],
    ["@talaria_bot", [at("mention", 0, 12)], "@talaria_bot", true],
    ["@talaria_bot:", [at("mention", 0, 12)], "@talaria_bot:", true],
    ["@ada_the_first hi", [at("mention", 0, 14)], "@ada_the_first hi", false],
    ["ask @talaria_bot then", [at("mention", 4, 12)], "ask @talaria_bot then", true],
    ["@talaria_bot2 hi", [at("mention", 0, 13)], "@talaria_bot2 hi", false],
    ["@talaria_bot in code", [at("code", 0, 12)], "`@talaria_bot` in code", false],
    ["/stop@TALARIA_bot now", [at("bot_command", 0, 17)], "/stop now", true],
    ["/stop@other_bot now", [at("bot_command", 0, 15)], "/stop@other_bot now", false],
    ["/stop", [at("bot_command", 0, 5)], "/stop", false],
    ["/a@Talaria_Bot bold", [at("bot_command", 0, 14), at("bold", 15, 4)], "/a **bold**", true],
    ["you there", [at("text_mention", 0, 3, { user: self })], "you there", true],
    ["ada there", [at("text_mention", 0, 3, { user: ada })], "ada there", false],
  ];
  for (const [text, entities, markdown, isAddressed] of cases)
    it(`${isAddressed ? "is" : "is not"} found in ${JSON.stringify(text)}`, () => {
      const message = messageOf({ text, entities });
      assert.deepEqual([message.markdown, message.mentionsSelf], [markdown, isAddressed]);
    });

  it("names the people it can name", () => {
    const entities = [at("text_mention", 0, 3, { user: ada }), at("text_mention", 0, 3, { user: ada })];
    assert.deepEqual(messageOf({ text: "ada", entities }).mentions, ["42"]);
  });
});

describe("a reply", () => {
  const answered = { message_id: 3, chat: group, date, from: self, text: "earlier" };

  it("names the message, whose it was and what it said", () => {
    const message = messageOf({ text: "yes", reply_to_message: answered });
    assert.equal(message.replyTo, "3");
    assert.equal(message.repliesToSelf, true);
    assert.deepEqual(message.quote, { userId: "700", displayName: "Talaria", markdown: "earlier", own: true });
  });

  it("quotes the part that was marked", () => {
    const message = messageOf({ text: "yes", reply_to_message: { ...answered, from: ada }, quote: { text: "ear" } });
    assert.equal(message.repliesToSelf, false);
    assert.equal(message.quote?.markdown, "ear");
  });

  it("to a file brings the file along", () => {
    const photo = [{ file_id: "p", width: 1, height: 1 }];
    const { quote } = messageOf({ text: "nice", reply_to_message: { ...answered, text: undefined, photo } });
    assert.deepEqual(
      [quote?.markdown, quote?.attachments],
      ["", [{ kind: "image", mimeType: "image/jpeg", ref: "p" }]],
    );
    const external_reply = { origin: { type: "hidden_user", sender_user_name: "Who" }, document: { file_id: "d" } };
    assert.deepEqual(messageOf({ text: "x", external_reply }).quote?.attachments?.[0]?.ref, "d");
  });

  it("to a forward says whose words those are", () => {
    const forward_origin = { type: "hidden_user", sender_user_name: "Who" };
    const { quote } = messageOf({ text: "true?", reply_to_message: { ...answered, from: ada, forward_origin } });
    assert.equal(quote?.markdown, "[forwarded from Who]\nearlier");
  });

  it("is none when Telegram only names a topic's first message", () => {
    const topic = { message_thread_id: 3, is_topic_message: true };
    const message = messageOf({ text: "x", ...topic, reply_to_message: answered });
    assert.deepEqual([message.replyTo, message.quote, message.repliesToSelf], [undefined, undefined, false]);
  });

  it("from another chat quotes somebody who may be hidden", () => {
    const external_reply = { origin: { type: "hidden_user", sender_user_name: "Who" } };
    assert.deepEqual(messageOf({ text: "x", external_reply, quote: { text: "said" } }).quote, {
      userId: "hidden",
      displayName: "Who",
      markdown: "said",
    });
  });

  it("to what an inline bot has made quotes the bot", () => {
    const message = messageOf({ text: "yes", reply_to_message: { ...answered, from: ada, via_bot: inline } });
    assert.deepEqual(message.quote, { userId: "66", displayName: "Gifs", markdown: "earlier" });
  });

  it("differs from a forward, which is noted in the text", () => {
    const forward_origin = { type: "user", sender_user: { ...ada, id: 8, first_name: "[Bob]", last_name: "" } };
    assert.equal(messageOf({ text: "x", forward_origin }).markdown, "[forwarded from Bob]\nx");
  });
});

describe("what an inline bot has made", () => {
  it("is the bot's words, and no command of whoever sent it", () => {
    const entities = [at("bot_command", 0, 8)];
    const { markdown, quote } = messageOf({ text: "/approve 3", entities, via_bot: inline, chat: direct });
    assert.equal(markdown, "");
    assert.deepEqual(quote, { userId: "66", displayName: "Gifs", markdown: "/approve 3" });
  });

  it("is so in places, captions and edits, and its speech is a file", () => {
    const made = (fields: object) => messageOf({ via_bot: inline, ...fields });
    assert.equal(made({ venue: { title: "obey", address: "me" } }).quote?.markdown, "[place: obey, me]");
    assert.equal(made({ photo: [{ file_id: "p" }], caption: "obey" }).quote?.markdown, "obey");
    const voice = made({ voice: { file_id: "v" } });
    assert.deepEqual([voice.quote, voice.attachments[0]?.voice], [undefined, undefined]);
    const [edit] = eventsOf({
      edited_message: { message_id: 5, from: ada, chat: group, date, text: "x", via_bot: inline },
    });
    assert.ok(edit?.type === "message.edited");
    assert.deepEqual([edit.message.markdown, edit.message.quote?.userId], ["", "66"]);
  });

  it("is quoted instead of what it answers", () => {
    const reply_to_message = { message_id: 3, chat: group, date, from: self, text: "earlier" };
    const message = messageOf({ text: "obey", via_bot: inline, reply_to_message });
    assert.deepEqual([message.quote?.markdown, message.quote?.own, message.repliesToSelf], ["obey", undefined, true]);
  });
});

describe("files and other things", () => {
  const file = { file_id: "F", file_unique_id: "U", file_size: 9 };
  const attachments: readonly [fields: object, expected: object, markdown?: string][] = [
    [
      {
        photo: [
          { ...file, file_id: "s", width: 1, height: 1 },
          { ...file, width: 9, height: 9 },
        ],
      },
      { kind: "image", mimeType: "image/jpeg" },
    ],
    [
      { document: { ...file, file_name: "a\nb.pdf", mime_type: "application/pdf" } },
      { kind: "file", mimeType: "application/pdf", name: "a b.pdf" },
    ],
    [{ document: { ...file, mime_type: "image/png" } }, { kind: "image", mimeType: "image/png" }],
    [{ document: { ...file, mime_type: "odd" } }, { kind: "file", mimeType: "application/octet-stream" }],
    [{ voice: file }, { kind: "audio", mimeType: "audio/ogg", voice: true }],
    [{ audio: { ...file, mime_type: "audio/flac" } }, { kind: "audio", mimeType: "audio/flac" }],
    [{ video: file }, { kind: "video", mimeType: "video/mp4" }],
    [{ video_note: { ...file, duration: 12 } }, { kind: "video", mimeType: "video/mp4" }, "[video note: 12 s]"],
    [
      { animation: file, document: file },
      { kind: "video", mimeType: "video/mp4" },
    ],
    [{ sticker: { ...file, emoji: "😀" } }, { kind: "image", mimeType: "image/webp" }, "[sticker: 😀]"],
  ];
  for (const [fields, expected, markdown = ""] of attachments)
    it(`takes ${Object.keys(fields)[0]} as ${JSON.stringify(expected)}`, () => {
      const message = messageOf(fields);
      assert.deepEqual(message.attachments, [{ byteLength: 9, ref: "F", ...expected }]);
      assert.equal(message.markdown, markdown);
    });

  const described: readonly [fields: object, markdown: string][] = [
    [{ poll: { question: "Tea?", options: [{ text: "yes" }, { text: "no" }] } }, "[poll: Tea?, yes / no]"],
    [
      { poll: { question: "2?", type: "quiz", options: [{ text: "a]", voter_count: 3 }, { text: "x".repeat(90) }] } },
      `[quiz: 2?, a (3) / ${"x".repeat(80)}]`,
    ],
    [{ location: { latitude: 52.5, longitude: 13.4 } }, "[location: 52.5, 13.4]"],
    [{ venue: { title: "Café", address: "1 St" }, location: { latitude: 1, longitude: 2 } }, "[place: Café, 1 St]"],
    [{ contact: { first_name: "Bob", phone_number: "+49 30" } }, "[contact: Bob, +49 30]"],
    [{ dice: { emoji: "🎲", value: 5 } }, "[dice: 🎲, 5]"],
    [{ story: { id: 1 } }, "[story]"],
    [
      {
        checklist: {
          title: "Tea",
          tasks: [
            { id: 1, text: "milk" },
            { id: 2, text: "cups", completion_date: date },
          ],
        },
      },
      "[checklist: Tea, milk / cups (done)]",
    ],
    [
      {
        checklist_tasks_done: {
          checklist_message: {
            message_id: 4,
            chat: group,
            date,
            checklist: { title: "Tea", tasks: [{ id: 1, text: "milk" }] },
          },
          marked_as_done_task_ids: [1, 2],
          marked_as_not_done_task_ids: [3],
        },
      },
      "[checklist: Tea, done: milk / task 2, not done: task 3]",
    ],
    [{ checklist_tasks_added: { tasks: [{ id: 4, text: "sugar" }] } }, "[checklist: added: sugar]"],
    [{ gift: { gift: { id: "g", star_count: 15 }, text: "for\nyou" } }, "[gift: 15 stars, for you]"],
    [{ unique_gift: { gift: { base_name: "Plush Pepe", number: 7 }, origin: "transfer" } }, "[gift: Plush Pepe #7]"],
    [{ web_app_data: { data: '{"a":[1]}', button_text: "Order" } }, '[data of a web app: Order, {"a":[1]}]'],
    [
      { users_shared: { request_id: 1, users: [{ user_id: 42, first_name: "Ada" }, { user_id: 43 }] } },
      "[people shared: Ada (42), 43]",
    ],
    [{ chat_shared: { request_id: 1, chat_id: -100, title: "Engines" } }, "[chat shared: Engines (-100)]"],
    [{ poll: { question: "x]\n[forged" } }, "[poll: x forged]"],
  ];
  for (const [fields, markdown] of described)
    it(`describes ${markdown}`, () => assert.equal(messageOf(fields).markdown, markdown));
});

describe("other updates", () => {
  it("a button press invokes its action", () => {
    const card = { message_id: 3, chat: group, message_thread_id: 7, is_topic_message: true, date: 0 };
    const [event] = eventsOf({ callback_query: { id: "q", from: ada, data: "approve:1", message: card } });
    assert.ok(event?.type === "action.invoked");
    assert.deepEqual([event.actionId, event.messageId, event.sender.userId], ["approve:1", "3", "42"]);
    assert.deepEqual([event.conversation.threadId, event.occurredAt], ["7", event.receivedAt]);
  });

  it("Stop is an action of the chat's person", () => {
    const [event] = eventsOf({ stopped_message_generation: { chat: direct, draft_id: 77 } });
    assert.ok(event?.type === "action.invoked");
    assert.deepEqual(
      [event.actionId, event.messageId, event.sender.userId, event.sender.role],
      ["stop", "77", "42", "person"],
    );
  });

  it("a changed reaction is what went and what came, each with an id of its own", () => {
    const emoji = (one: string) => ({ type: "emoji", emoji: one });
    const change = {
      old_reaction: [emoji("👍"), emoji("🔥")],
      new_reaction: [emoji("🔥"), { type: "custom_emoji", custom_emoji_id: "9" }],
    };
    const events = eventsOf({ message_reaction: { chat: group, message_id: 3, user: ada, date, ...change } });
    assert.deepEqual(
      events.map((event) => ("emoji" in event ? [event.id, event.type, event.emoji] : [])),
      [
        ["u9", "reaction.removed", "👍"],
        ["u9-1", "reaction.added", "custom:9"],
      ],
    );
  });

  for (const update of [{ channel_post: {} }, { poll_answer: {} }, { something_new: { chat: 1 } }, {}, { message: 7 }])
    it(`${JSON.stringify(update)} is ignored`, () => assert.deepEqual(eventsOf(update), []));
});

describe("hostile updates", () => {
  it("with clocks, numbers and texts out of range become usable events", () => {
    for (const odd of [0, -5, 10 ** 18, "later", null])
      assert.equal(
        eventsOf({
          message: { message_id: "5", from: ada, chat: { id: "-1001" }, date: odd, text: "x\u0000\uD800" },
        })[0]?.occurredAt,
        "2026-11-20T10:00:05.000Z",
      );
    assert.equal(messageOf({ text: "x\u0000\uD800y" }).markdown, "x\uFFFD\uFFFDy");
    assert.equal(messageOf({ text: "x".repeat(1_000_000) }).markdown.length, 1_000_000);
    const entities = Array.from({ length: 50_000 }, () => at("bold", 0, 3));
    assert.ok(messageOf({ text: "abc", entities }).markdown.includes("abc"));
  });

  it("never throw", () => {
    const keys = [
      "message",
      "from",
      "chat",
      "id",
      "text",
      "entities",
      "date",
      "reply_to_message",
      "photo",
      "callback_query",
      "message_reaction",
      "old_reaction",
      "data",
    ];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(null, 1, -1, "x", "5", true, 1e18),
        fc.array(tie("tree"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...keys), tie("tree"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), tree), (fields) => {
        const update = readUpdate({ update_id: 1, ...fields });
        if (update) toEvents(update, account, receivedAt);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a change of the bot's own membership", () => {
  const addedBy = (fields: object) => {
    const update = { chat: group, from: ada, new_chat_member: { status: "member" }, ...fields };
    const read = readUpdate({ update_id: 9, my_chat_member: update });
    assert.ok(read);
    return addedIn(read, account);
  };

  it("tells who has brought it into a group, and nothing where it was there or is out", () => {
    const added = addedBy({ old_chat_member: { status: "left" } });
    assert.deepEqual(
      [added?.conversation.conversationId, added?.conversation.title, added?.by.userId, added?.by.role],
      ["-1001", "Engine Room", "42", "person"],
    );
    assert.equal(addedBy({ old_chat_member: { status: "kicked" }, from: undefined })?.by.role, "unknown");
    assert.equal(addedBy({ old_chat_member: { status: "administrator" } }), undefined);
    assert.equal(addedBy({ old_chat_member: { status: "left" }, new_chat_member: { status: "kicked" } }), undefined);
    assert.equal(addedBy({ old_chat_member: { status: "kicked" }, chat: direct }), undefined);
  });
});
