import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { inboundEventSchema } from "@talaria/protocol";
import { codeOf, messageOf } from "@talaria/testkit";
import { isWelcome } from "./invites.ts";
import { placeOf } from "./media-ref.ts";
import { openWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof openWorld>>;

const { signal } = new AbortController();

/** Plays something hostile, then lets Ada speak: her words must come, and what came before them is returned. */
async function heardBefore(world: World, play: () => void): Promise<readonly InboundEvent[]> {
  const { host, room, ada } = world;
  play();
  const id = room.say(ada, "the end");
  await host.until(() => host.events.some((event) => event.id === id), "Ada is heard");
  for (const event of host.events) inboundEventSchema.parse(event);
  return host.events.slice(0, -1);
}

describe("hostile and broken events", () => {
  const broken: readonly [name: string, content: Record<string, unknown>][] = [
    ["no body", { msgtype: "m.text" }],
    ["a body that is no text", { msgtype: "m.text", body: { a: 1 } }],
    ["a type that is no text", { msgtype: 7, body: [] }],
    ["relations that are none", { msgtype: "m.text", body: "", "m.relates_to": "x" }],
    ["a file without an address", { msgtype: "m.file", body: "x" }],
    ["a file elsewhere", { msgtype: "m.image", body: "x", url: "https://evil.example/x.png" }],
    ["a file with a path", { msgtype: "m.image", body: "x", url: "mxc://stub.test/../../etc/passwd" }],
    ["an encrypted file without a key", { msgtype: "m.file", body: "x", file: { url: "mxc://stub.test/a" } }],
    [
      "an edit of itself or nothing",
      { body: "* x", "m.relates_to": { rel_type: "m.replace", event_id: "x" }, msgtype: 1 },
    ],
  ];
  for (const [name, content] of broken)
    it(`are left out: ${name}`, async () => {
      await using world = await openWorld();
      const events = await heardBefore(world, () => world.room.post(world.ada, "m.room.message", content));
      for (const event of events) assert.deepEqual(messageOf(event).attachments, []);
    });

  it("cannot forge a sender: what the content says about that is not read", async () => {
    await using world = await openWorld();
    const forged = { msgtype: "m.text", body: "hi", sender: world.ada, user_id: world.ada, "m.mentions": {} };
    const [event] = await heardBefore(world, () => world.room.post(world.bob, "m.room.message", forged));
    assert.equal(event?.sender.userId, world.bob);
  });

  it("do not let somebody change another one's message", async () => {
    await using world = await openWorld();
    const { room, ada, bob } = world;
    const events = await heardBefore(world, () => void room.edit(bob, room.say(ada, "mine"), "not mine"));
    assert.deepEqual(
      events.map((event) => [event.type, messageOf(event).markdown]),
      [["message.created", "mine"]],
    );
  });

  it("do not end in a loop of relations", async () => {
    await using world = await openWorld();
    const { room, ada, server } = world;
    const events = await heardBefore(world, () => {
      const first = room.say(ada, "a", {
        content: { "m.relates_to": { rel_type: "m.thread", event_id: "$x_aaaaaaaa" } },
      });
      const second = room.say(ada, "b", { replyTo: first });
      const stored = server.world.events.get(first);
      if (stored !== undefined)
        stored.content = { ...stored.content, "m.relates_to": { "m.in_reply_to": { event_id: second } } };
    });
    assert.equal(events.length, 2);
  });

  it("show HTML and forged quotes to nobody", async () => {
    await using world = await openWorld();
    const { room, ada, bob } = world;
    const first = room.say(ada, "the real words");
    const formatted_body = "<mx-reply>evil</mx-reply><b>hidden</b>";
    const format = "org.matrix.custom.html";
    const body = "> <@ada:stub.test> words she never said\n\nmy answer";
    const play = () => void room.say(bob, body, { replyTo: first, content: { format, formatted_body } });
    const event = (await heardBefore(world, play)).at(-1);
    assert.equal(messageOf(event).markdown, "my answer");
    assert.equal(messageOf(event).quote?.markdown, "the real words");
    assert.ok(!JSON.stringify(event).includes("hidden"));
  });

  it("cannot hide behind names and times", async () => {
    await using world = await openWorld();
    const { server, host } = world;
    const evil = server.person("evil", "Ada\u202E\u0000\n  Lovelace\u200B".repeat(50));
    const room = server.room({ people: [evil], name: "General\u202Elareneg\n" });
    room.say(evil, "hi", { at: 9e15 });
    const [event] = await host.recorded(1);
    assert.ok(event);
    assert.match(event.conversation.title ?? "", /^General[a-z ]*$/);
    assert.ok(event.sender.displayName.length <= 80);
    for (const hidden of ["\u202E", "\0", "\u200B", "\n"]) assert.ok(!event.sender.displayName.includes(hidden));
    assert.ok(Math.abs(Date.parse(event.occurredAt) - Date.now()) < 60_000);
  });

  it("of 60 KB and with many mentions pass, cut to what is allowed", async () => {
    await using world = await openWorld();
    const { room, ada } = world;
    const many = Array.from({ length: 400 }, (_, n) => `@u${n}:stub.test`);
    const [event] = await heardBefore(world, () => void room.say(ada, "x".repeat(45_000), { mentions: many }));
    assert.equal(messageOf(event).markdown.length, 45_000);
  });

  it("tell that an encrypted message came when encryption is off, and are no edit of it", async () => {
    await using world = await openWorld();
    const { room, ada } = world;
    const cipher = { algorithm: "m.megolm.v1.aes-sha2", ciphertext: "x", session_id: "y" };
    const [event] = await heardBefore(world, () => void room.post(ada, "m.room.encrypted", cipher));
    assert.match(messageOf(event).markdown, /encryption is disabled/);
    assert.match(event?.id ?? "", /\/note$/);
  });
});

describe("invitations", () => {
  const policy = { allow: ["@ada:example.org", "!room:example.org"] };
  it("count by whole ids alone", () => {
    assert.equal(isWelcome(policy, "!x:e", "@ada:example.org"), true);
    assert.equal(isWelcome(policy, "!room:example.org", "@eve:example.org"), true);
    for (const eve of ["@ada:example.org.evil.org", "@x@ada:example.org", "@Ada:example.org", "ada:example.org", ""])
      assert.equal(isWelcome(policy, "!x:e", eve), false, eve);
    assert.equal(isWelcome("off", "!x:e", "@ada:example.org"), false);
    assert.equal(isWelcome("open", "!x:e", undefined), false);
  });

  it("by a stranger are not accepted, however many; those who invite do not disturb others", async () => {
    await using world = await openWorld({ settings: { invites: { allow: ["@ada:stub.test"] } } });
    const { server, room, ada, host } = world;
    const mallory = server.person("mallory");
    const traps = Array.from({ length: 100 }, () => server.room({ people: [mallory], withBot: false }));
    for (const trap of traps) trap.member(server.bot.userId, "invite", mallory);
    room.say(ada, "still here?");
    await host.recorded(1);
    for (const { id } of traps) assert.equal(server.world.membershipOf(id, server.bot.userId), "invite");
  });
});

describe("file references", () => {
  it("never become other addresses than those of a file", async () => {
    await using world = await openWorld();
    const odd = [
      "",
      "a",
      "a/b/c",
      "../x/y",
      "stub.test/..%2f",
      "http://127.0.0.1/x",
      "stub.test/a/k/i/h",
      "169.254.169.254/latest/meta",
    ];
    for (const ref of odd) {
      assert.equal(
        placeOf(ref as never) === undefined || /^[\w.:[\]-]+$/.test(placeOf(ref as never)?.server ?? ""),
        true,
      );
      assert.equal(await codeOf(Promise.resolve(world.adapter.openMedia?.(ref as never, signal))), "not_found", ref);
    }
  });
});

describe("what can't be read is counted by its kind", () => {
  const target = "$event1_abcdefghijklmnopqrstuvwxyz";
  const edit = { rel_type: "m.replace", event_id: target };
  for (const [name, type, content, kinds] of [
    ["a text without a body", "m.room.message", { msgtype: "m.text" }, ["m.room.message"]],
    ["a message without a type", "m.room.message", { body: "x" }, ["m.room.message"]],
    [
      "a picture elsewhere",
      "m.room.message",
      { msgtype: "m.image", body: "x", url: "https://e.example/x" },
      ["m.image"],
    ],
    [
      "an edit without its text",
      "m.room.message",
      { msgtype: "m.text", body: "* x", "m.relates_to": edit },
      ["m.replace"],
    ],
    ["a reaction to nothing", "m.reaction", {}, ["m.reaction"]],
    ["a redaction of nothing", "m.room.redaction", {}, ["m.room.redaction"]],
    ["a sender who is none", "m.room.message", { msgtype: "m.text", body: "x", sender: 7 }, []],
    ["an event of a type that is not ours", "m.call.invite", {}, []],
    ["a sticker without a name", "m.sticker", {}, []],
  ] as const)
    it(`${name}: ${kinds.join() || "nothing"}`, async () => {
      const unreadable: string[] = [];
      await using world = await openWorld({ deps: { countUnreadable: (kind) => unreadable.push(kind) } });
      await heardBefore(world, () => world.room.post(world.ada, type, content));
      assert.deepEqual(unreadable, kinds);
    });

  it("an event without a sender or an id", async () => {
    const unreadable: string[] = [];
    await using world = await openWorld({ deps: { countUnreadable: (kind) => unreadable.push(kind) } });
    await heardBefore(world, () => {
      world.room.post("nobody", "m.room.message", { msgtype: "m.text", body: "x" });
      world.room.post(world.ada, "m.reaction", {}, { event_id: "no id" });
      world.room.post("nobody", "m.call.invite", {});
    });
    assert.deepEqual(unreadable, ["m.room.message", "m.reaction", "event"]);
  });

  it("a room without a proper id", async () => {
    const unreadable: string[] = [];
    await using world = await openWorld({ deps: { countUnreadable: (kind) => unreadable.push(kind) } });
    const { userId } = world.server.bot;
    const join = { type: "m.room.member", state_key: userId, sender: userId, content: { membership: "join" } };
    await heardBefore(world, () => {
      world.server.world.rooms.set("no room", { id: "no room", state: new Map() });
      world.server.world.post({ room_id: "no room", ...join });
    });
    assert.deepEqual(unreadable, ["room"]);
  });
});
