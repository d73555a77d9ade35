import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Choice, GatewayError, type InboundEvent, silentLog } from "@talaria/protocol";
import { hurriedClock, startAdapter } from "@talaria/testkit";
import { choiceIndex, choiceKeys, choicesField, choicesOf, withChoices } from "./choices.ts";
import type { MatrixRoom } from "./emulator/index.ts";
import { OfferedChoices } from "./offered-choices.ts";
import { conversation, makeWorld, message, openWorld } from "./testing/world.ts";

const { signal } = new AbortController();
const choices: readonly Choice[] = [
  { id: "blue", label: "The *blue* one" },
  { id: "red", label: "The red one" },
];
const [first, second, third] = choiceKeys;

type World = Awaited<ReturnType<typeof openWorld>>;

/** Presses, and reactions that are none, in their order. */
const touched = (events: readonly InboundEvent[]) =>
  events.map((event) => {
    if (event.type === "action.invoked") return [event.type, event.sender.userId, event.actionId, event.label];
    return event.type === "reaction.added" ? [event.type, event.sender.userId, event.emoji] : [event.type];
  });

/** Touches, then speaks: what came before the words is returned. */
async function after({ host, room, ada }: World, act: () => void): Promise<readonly InboundEvent[]> {
  const before = host.events.length;
  act();
  const end = room.say(ada, "the end");
  await host.until(() => host.events.some(({ id }) => id === end), "Ada is heard");
  return host.events.slice(before, -1);
}

async function offered(world: World, room: MatrixRoom = world.room) {
  const sent = await world.adapter.send(message(room.id, "Which one?", { choices }), signal);
  await world.host.until(() => room.reactionsOf(sent.messageId).length === choices.length, "the reactions are there");
  return sent;
}

describe("choices as reactions", () => {
  it("stand in the text, and below it as reactions in their order", async () => {
    await using world = await openWorld();
    const { messageId } = await offered(world);
    assert.deepEqual(world.room.reactionsOf(messageId), [first, second]);
    const [shown] = world.room.botMessages();
    assert.equal(shown?.text, "Which one?\n\n- 1️⃣ The \\*blue\\* one\n- 2️⃣ The red one");
    assert.match(String(shown?.content.formatted_body), /<li>1️⃣ The \*blue\* one<\/li>/);
  });

  it("are pressed by a reaction with the same key, also without its variation selector", async () => {
    await using world = await openWorld();
    const { ada, bob, room } = world;
    const { messageId } = await offered(world);
    const events = await after(world, () => {
      room.react(ada, messageId, second);
      room.react(bob, messageId, "1\u20E3");
    });
    assert.deepEqual(touched(events), [
      ["action.invoked", ada, "red", "The red one"],
      ["action.invoked", bob, "blue", "The *blue* one"],
    ]);
    for (const event of events) assert.equal(event.type === "action.invoked" && event.messageId, messageId);
  });

  it("are not pressed by other reactions, by ours, or on somebody else's message", async () => {
    await using world = await openWorld();
    const { ada, bob, room, server } = world;
    const { messageId } = await offered(world);
    const forged = room.say(bob, "Which one?", { content: choicesField(choices) });
    const events = await after(world, () => {
      room.react(ada, messageId, "👍");
      room.react(ada, messageId, third);
      room.react(ada, forged, first);
      server.world.post({
        room_id: room.id,
        type: "m.reaction",
        sender: server.bot.userId,
        content: { "m.relates_to": { rel_type: "m.annotation", event_id: forged, key: first } },
      });
    });
    assert.deepEqual(touched(events), [
      ["message.created"],
      ["reaction.added", ada, "👍"],
      ["reaction.added", ada, third],
      ["reaction.added", ada, first],
    ]);
  });

  it("go with an edit that has none, and come with one that has some", async () => {
    await using world = await openWorld();
    const { adapter, ada, bob, room, host } = world;
    const sent = await offered(world);
    await adapter.edit?.(sent, "The blue one it is.", signal);
    const isGone = () => room.events("m.reaction").every(({ unsigned }) => unsigned.redacted_because !== undefined);
    await host.until(isGone, "the reactions are gone");
    assert.deepEqual(touched(await after(world, () => room.react(ada, sent.messageId, first))), [
      ["reaction.added", ada, first],
    ]);
    await adapter.edit?.(sent, "Or not?", signal, choices);
    await host.until(() => room.reactionsOf(sent.messageId).length === choices.length, "the reactions are back");
    assert.deepEqual(touched(await after(world, () => room.react(bob, sent.messageId, second))), [
      ["action.invoked", bob, "red", "The red one"],
    ]);
  });

  it("are in the thread of their message", async () => {
    await using world = await openWorld();
    const { adapter, ada, room } = world;
    const root = room.say(ada, "a root");
    const thread = { conversation: conversation(room.id, { threadId: root as never }), choices };
    const { messageId } = await adapter.send({ ...message(room.id, "Which?"), ...thread }, signal);
    const [event] = await after(world, () => room.react(ada, messageId, first)).then((events) => events.slice(-1));
    assert.deepEqual([event?.type, event?.conversation.threadId], ["action.invoked", root]);
  });

  it("are put on after the limit of the homeserver, and are no reason to fail", async () => {
    await using world = await openWorld();
    const { server, room, adapter, host } = world;
    const isReaction = (body: Readonly<Record<string, unknown>>) => "m.relates_to" in body && !("body" in body);
    const limit = {
      kind: "answer",
      status: 429,
      errcode: "M_LIMIT_EXCEEDED",
      retryAfterMs: 5,
      effect: "none",
    } as const;
    server.fail("send", limit, 2, isReaction);
    await offered(world);
    server.fail("send", { kind: "answer", status: 403, errcode: "M_FORBIDDEN", effect: "none" }, 1, isReaction);
    const { messageId } = await adapter.send(message(room.id, "And now?", { choices }), signal);
    const events = await after(world, () => room.react(world.ada, messageId, first));
    assert.deepEqual(touched(events), [["action.invoked", world.ada, "blue", "The *blue* one"]]);
    assert.equal(host.states.at(-1)?.status, "connected");
  });
});

describe("choices after a restart", () => {
  for (const [name, edits, expected] of [
    ["are pressed as before", [], "action.invoked"],
    [
      "are pressed where an edit brought them",
      [
        ["growing", []],
        ["Which one?", choices],
      ],
      "action.invoked",
    ],
    ["are gone where an edit took them away", [["Never mind.", []]], "reaction.added"],
  ] as const)
    it(name, async () => {
      const world = await makeWorld();
      const { server, room, ada } = world;
      const before = await startAdapter(world.make(), { stop: async () => undefined });
      const withEdit = edits.length > 1;
      const sent = await before.adapter.send(message(room.id, "Which?", withEdit ? {} : { choices }), signal);
      for (const [markdown, given] of edits) await before.adapter.edit?.(sent, markdown, signal, given);
      await before.adapter.stop();
      room.react(ada, sent.messageId, second);
      await using restarted = await startAdapter(world.make(), server);
      const [event] = await restarted.host.recorded(1);
      assert.equal(event?.type, expected);
      if (event?.type === "action.invoked") assert.equal(event.actionId, "red");
    });
});

it("are no reactions where a reaction proves nothing", async () => {
  const asked: string[] = [];
  const refuse = async () => {
    asked.push("the homeserver");
    throw new GatewayError("not here", { code: "unavailable" });
  };
  const offered = new OfferedChoices({
    client: { call: refuse, upload: refuse, open: refuse, as: () => assert.fail("no other token is asked for") },
    clock: hurriedClock,
    log: silentLog,
    selfId: "@talaria:stub.test",
    decrypt: async (_, event) => event,
    believes: async () => false,
    signal,
  });
  offered.set("!room", "$message", choices, { react: refuse, redact: refuse });
  await offered.close();
  assert.deepEqual(await offered.find("!room", "$message", choices, signal), []);
  assert.deepEqual(asked, []);
});

describe("the parts of choices", () => {
  it("are read only where they are right", () => {
    const field = Object.keys(choicesField(choices))[0] ?? "";
    for (const odd of [7, null, [{}], [{ id: "a b", label: "x" }], Array.from({ length: 11 }, () => choices[0])])
      assert.deepEqual(choicesOf({ [field]: odd }), [], JSON.stringify(odd));
    assert.deepEqual(choicesOf(choicesField([{ id: "a", label: "x".repeat(500) }]))[0]?.label.length, 80);
  });

  it("know their keys", () => {
    assert.deepEqual(choiceKeys.map(choiceIndex), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.equal(choiceIndex("👍"), undefined);
    assert.equal(choiceIndex(""), undefined);
    assert.equal(withChoices("text", []), "text");
  });
});
