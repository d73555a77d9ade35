import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Audience } from "@talaria/adapter";
import { brandAs, GatewayError, type UserId } from "@talaria/protocol";
import { codeOf, memoryStore } from "@talaria/testkit";
import { keyboardArgs } from "./choices.ts";
import { toReaction } from "./reactions.ts";
import { attached, message, open, refTo, signal } from "./testing/world.ts";

const yesNo = [
  { id: "yes", label: "Yes" },
  { id: "no", label: "No, never" },
];

describe("buttons", () => {
  it("are below a message, and a press says which and what was on it", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "Shall I?", { choices: yesNo }), signal);
    assert.deepEqual(chat.botMessages()[0]?.buttons, [
      [
        { text: "Yes", data: "yes" },
        { text: "No, never", data: "no" },
      ],
    ]);
    const press = chat.press(ada, Number(sent.messageId), "No, never");
    const [event] = await host.recorded(1);
    assert.ok(event?.type === "action.invoked");
    assert.deepEqual([event.actionId, event.label, event.messageId], ["no", "No, never", sent.messageId]);
    assert.deepEqual(await press.answer, { text: "", showAlert: false });
  });

  it("go with an edit that has none, also below a file", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    const sent = await adapter.send(message(chat.id, "Shall I?", { choices: yesNo }), signal);
    await adapter.edit?.(sent, "Shall I?", signal, [{ id: "later", label: "Later" }]);
    assert.deepEqual(chat.botMessages()[0]?.buttons, [[{ text: "Later", data: "later" }]]);
    await adapter.edit?.(sent, "Done.", signal);
    assert.deepEqual([chat.botMessages()[0]?.text, chat.botMessages()[0]?.buttons], ["Done.", []]);
    const attachments = attached("small", "text/plain");
    const file = await adapter.send(message(chat.id, "see", { attachments, choices: yesNo }), signal);
    assert.equal(chat.botMessages()[1]?.buttons.length, 1);
    await adapter.edit?.(file, "**seen**", signal);
    await adapter.edit?.(file, "**seen**", signal);
    assert.deepEqual([chat.botMessages()[1]?.html, chat.botMessages()[1]?.buttons], ["<b>seen</b>", []]);
  });

  it("tell who may not press them", async () => {
    await using world = await open();
    const { server, adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "Shall I?", { choices: yesNo }), signal);
    host.accept = async () => "dropped";
    const press = chat.press(ada, Number(sent.messageId), "yes");
    assert.equal((await press.answer).text, "This button is not for you.");
    assert.equal(server.calls.count("answerCallbackQuery"), 1);
    host.accept = async (_event, options) => {
      options?.tellRefused?.(`Only an owner can decide that.${"!".repeat(300)}`);
      return "dropped";
    };
    const { text } = await chat.press(ada, Number(sent.messageId), "yes").answer;
    assert.match(text, /^Only an owner can decide that\.!{170}$/);
    host.accept = async () => "dropped";
    const klingon = chat.press({ ...ada, language_code: "tlh" }, Number(sent.messageId), "yes");
    assert.equal((await klingon.answer).text, "tlh: This button is not for you.");
  });

  it("are answered only after the press was recorded", async () => {
    await using world = await open();
    const { adapter, chat, ada, host } = world;
    const sent = await adapter.send(message(chat.id, "Shall I?", { choices: yesNo }), signal);
    host.refuse(1);
    const press = chat.press(ada, Number(sent.messageId), "yes");
    await press.answer;
    assert.equal(host.events.length, 1);
  });

  const labels: readonly [label: string, shown: string][] = [
    ["two\nlines", "two lines"],
    ["x".repeat(64), "x".repeat(64)],
    ["x".repeat(65), `${"x".repeat(63)}…`],
    [`${"x".repeat(62)}😀y`, `${"x".repeat(62)}…`],
    ["  ", "ok"],
  ];
  for (const [label, shown] of labels)
    it(`show ${JSON.stringify(label.slice(-8))} as ${JSON.stringify(shown.slice(-8))}`, () => {
      const { reply_markup } = keyboardArgs([{ id: "ok", label }]);
      assert.deepEqual(reply_markup?.inline_keyboard, [[{ text: shown, callback_data: "ok" }]]);
    });

  it("are at most a hundred, with ids of at most 64 bytes", async () => {
    await using world = await open();
    const { adapter, chat } = world;
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `c${n}`, label: `Choice ${n}` }));
    await adapter.send(message(chat.id, "pick", { choices: many(100) }), signal);
    for (const choices of [many(101), [{ id: "", label: "x" }], [{ id: "é".repeat(33), label: "x" }]])
      assert.equal(await codeOf(adapter.send(message(chat.id, "pick", { choices }), signal)), "invalid_request");
    assert.equal(chat.botMessages().length, 1);
  });
});

describe("reactions", () => {
  const shown: readonly [emoji: string, reaction: string][] = [
    ["👀", "👀"],
    ["❤️", "❤"],
    ["👍🏽", "👍"],
    ["⏳", "✍"],
    ["✅", "👌"],
    ["❌", "😢"],
    ["👨‍💻", "👨‍💻"],
  ];
  for (const [emoji, reaction] of shown)
    it(`show ${emoji} as ${reaction}`, async () => {
      await using world = await open();
      const { adapter, chat, ada, server } = world;
      const { messageId } = chat.say(ada, "hi");
      await adapter.react?.(refTo(chat.id, messageId), emoji, signal);
      assert.deepEqual(chat.message(messageId)?.reactions.get(server.botUser.id), [reaction]);
    });

  for (const emoji of ["🫠", "x", "", "👀👀", "custom:../1"])
    it(`has none for ${JSON.stringify(emoji)}`, () =>
      assert.throws(
        () => toReaction(emoji),
        (error) => error instanceof GatewayError && error.code === "unsupported",
      ));

  it("replace each other, and taking an earlier one away leaves the later one", async () => {
    await using world = await open();
    const { adapter, chat, ada, server } = world;
    const { messageId } = chat.say(ada, "hi");
    const ref = refTo(chat.id, messageId);
    const own = () => chat.message(messageId)?.reactions.get(server.botUser.id);
    await adapter.react?.(ref, "👀", signal);
    await adapter.react?.(ref, "✅", signal);
    await adapter.unreact?.(ref, "👀", signal);
    assert.deepEqual(own(), ["👌"]);
    await adapter.unreact?.(ref, "✅", signal);
    await adapter.unreact?.(ref, "✅", signal);
    assert.deepEqual(own(), []);
  });

  it("that a chat does not allow are unsupported", async () => {
    await using world = await open();
    const { adapter, chat, ada, server } = world;
    const { messageId } = chat.say(ada, "hi");
    const description = "Bad Request: REACTION_INVALID";
    server.fail("setMessageReaction", { kind: "answer", code: 400, description, effect: "none" });
    assert.equal(await codeOf(adapter.react?.(refTo(chat.id, messageId), "👀", signal)), "unsupported");
  });

  it("of people come in as what went and what came", async () => {
    await using world = await open();
    const { chat, ada, host } = world;
    await host.until(() => world.server.calls.count("getUpdates") > 0, "it asked for reactions");
    const { messageId } = chat.say(ada, "hi");
    chat.react(ada, messageId, "👍");
    chat.react(ada, messageId, "🔥");
    const events = await host.recorded(4);
    assert.deepEqual(
      events.slice(1).map((event) => ("emoji" in event ? [event.type, event.emoji, event.messageId] : event.type)),
      [
        ["reaction.added", "👍", String(messageId)],
        ["reaction.removed", "👍", String(messageId)],
        ["reaction.added", "🔥", String(messageId)],
      ],
    );
  });
});

describe("albums and voice notes", () => {
  it("come in as one event per item, with what they share", async () => {
    await using world = await open();
    const { chat, ada, host } = world;
    chat.sendAlbum(ada, Array(10).fill(Uint8Array.of(0xff, 0xd8, 0xff, 0xd9)), "ten photos");
    chat.sendVoice(ada, { bytes: new Uint8Array(10), duration: 3 });
    const events = await host.recorded(11);
    const albums = events.map((event) => (event.type === "message.created" ? event.message.albumId : "none"));
    assert.equal(new Set(albums.slice(0, 10)).size, 1);
    assert.match(String(albums[0]), /^\d+$/);
    const [voice] = events[10]?.type === "message.created" ? events[10].message.attachments : [];
    assert.deepEqual([albums[10], voice?.kind, voice?.voice], [undefined, "audio", true]);
  });
});

function menusOf(server: Awaited<ReturnType<typeof open>>["server"]) {
  const names = (menu: readonly unknown[]) => menu.map((one) => (one as { command: string }).command);
  return Object.fromEntries([...(server.bots[0]?.menus ?? [])].map(([scope, menu]) => [scope, names(menu)]));
}

describe("the menu of commands", () => {
  const commands = [
    { name: "stop", description: "stop what I am doing" },
    { name: "Odd Name", description: "left out" },
  ];

  it("is set once, and again when the commands changed", async () => {
    const store = memoryStore();
    await using world = await open({ store, commands });
    const { server, adapter, host } = world;
    await host.until(() => store.values.has("command-menu"), "the menu is set");
    assert.deepEqual(menusOf(server), { default: ["stop"] });
    await adapter.stop();
    await adapter.start(host);
    await adapter.stop();
    assert.equal(server.calls.count("setMyCommands"), 1);
    const config = { apiRoot: server.apiRoot, token: server.token };
    await using second = await open({ store, config, commands: [{ name: "new", description: "begin anew" }] });
    await second.host.until(() => server.calls.count("setMyCommands") === 2, "the new menu is set");
  });

  it("shows owners all commands, others what they have a use for, in private and in groups", async () => {
    const store = memoryStore();
    const all = [
      { name: "help", description: "list commands" },
      { name: "approve", description: "say yes", leastRole: "member" },
      { name: "people", description: "decide who may talk", leastRole: "owner", isPrivate: true },
    ] as const;
    await using world = await open({ store, commands: all });
    const { server, adapter, host, ada } = world;
    await host.until(() => store.values.has("command-menu"), "the menu is set");
    await adapter.stop();
    const config = { apiRoot: server.apiRoot, token: server.token };
    const made = () => server.calls.count("setMyCommands") + server.calls.count("deleteMyCommands");
    const begin = async (audience: Audience, calls: number) => {
      const before = made();
      await using again = await open({ store, config, commands: all, audience });
      await again.host.until(() => made() - before === calls, "the menus are put");
    };
    const owners = [ada.id, 987_654].map((id) => brandAs<UserId>(String(id)));
    await begin({ owners, direct: "member" }, 4);
    const owned = { [`chat:${ada.id}`]: ["help", "approve", "people"] };
    assert.deepEqual(menusOf(server), { default: ["help", "approve"], all_group_chats: ["help"], ...owned });
    await begin({ owners, direct: "member" }, 1);
    await begin({ owners: [], direct: "guest" }, 2);
    assert.deepEqual(menusOf(server), { default: ["help"], all_group_chats: ["help"] });
    assert.equal(made(), 8, "the first, and no more than was waited for");
  });

  it("has a menu for each language that Telegram can tell apart, and no longer than there is that language", async () => {
    const store = memoryStore();
    const help = { name: "help", description: "list commands" };
    const spoken = [{ ...help, descriptions: { de: "zeigt die Befehle", "pt-br": "lista", tlh: "tetlh" } }];
    await using world = await open({ store, commands: spoken });
    const { server, adapter, host } = world;
    await host.until(() => store.values.has("command-menu"), "the menus are set");
    await adapter.stop();
    const linesOf = () =>
      [...(server.bots[0]?.menus ?? [])].map(([place, menu]) => [place, (menu[0] as typeof help).description]);
    assert.deepEqual(linesOf(), [
      ["default", "list commands"],
      ["default@de", "zeigt die Befehle"],
    ]);
    const config = { apiRoot: server.apiRoot, token: server.token };
    await using again = await open({ store, config, commands: [help] });
    await again.host.until(() => server.calls.count("deleteMyCommands") === 1, "the menu is taken away");
    assert.deepEqual(linesOf(), [["default", "list commands"]]);
  });

  it("that Telegram refuses keeps nobody from writing", async () => {
    await using world = await open({
      store: {
        ...memoryStore(),
        read: async (name) => {
          if (name === "command-menu") throw new Error("unreadable");
          return undefined;
        },
      },
    });
    const { chat, ada, host } = world;
    chat.say(ada, "hello");
    await host.recorded(1);
  });
});
