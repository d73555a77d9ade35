import assert from "node:assert/strict";
import { isIP } from "node:net";
import { describe, it } from "node:test";
import { publicLookup } from "@talaria/adapter-kit";
import { brandAs, type InboundEvent, type MediaRef } from "@talaria/protocol";
import { checkEvent, codeOf, environmentProxy, messageOf, startTrap } from "@talaria/testkit";
import { followRedirects } from "./follow-redirects.ts";
import { openWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof openWorld>>;
type Play = (world: World) => void;

const { signal } = new AbortController();
const polluted = JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}');

/** Bob says something with this content. */
const says =
  (content: object): Play =>
  ({ room, bob }) =>
    void room.post(bob, "m.room.message", { msgtype: "m.text", body: "hi", "m.mentions": {}, ...content });
const senderIs =
  (sender: string): Play =>
  ({ room }) =>
    void room.post(sender, "m.room.message", { msgtype: "m.text", body: "hi", "m.mentions": {} });
const file = { body: "a.png", url: "mxc://stub.test/abc" };
const attachmentsOf = (event: InboundEvent) => messageOf(event).attachments;

interface Row {
  readonly play: Play;
  /** What becomes of it; nothing at all when absent. */
  readonly check?: (event: InboundEvent, world: World) => void;
}

const attacks: Readonly<Record<string, Row>> = {
  "A03 a sender without an id": { play: senderIs("") },
  "A03 a sender whose id is a name": { play: senderIs("ada") },
  "A03 a sender with a zero character": { play: senderIs("@eve\u0000:stub.test") },
  "A03 a sender with half a letter": { play: senderIs("@eve\ud800:stub.test") },
  "A03 a sender whose id has no end": { play: senderIs(`@${"e".repeat(10_000)}:stub.test`) },
  "A04 an id that begins with Ada's": {
    play: senderIs("@ada:stub.test.evil.test"),
    check: ({ sender }) => assert.equal(sender.userId, "@ada:stub.test.evil.test"),
  },
  "A06 Ada's name": {
    play: ({ server, room }) => {
      const eve = server.person("eve", "Ada Lovelace");
      room.member(eve, "join");
      room.say(eve, "hi");
    },
    check: ({ sender }) => assert.equal(sender.userId, "@eve:stub.test"),
  },
  "A07 a room under the name of another": {
    play: ({ server, bob }) => void server.room({ name: "Engines", people: [bob] }).say(bob, "hi"),
    check: ({ conversation }, { room }) => assert.notEqual(conversation.conversationId, room.id),
  },
  "A19 a program that writes notices": {
    play: says({ msgtype: "m.notice" }),
    check: ({ sender }) => assert.equal(sender.role, "bot"),
  },
  "E08 a topic full of orders": {
    play: ({ room, bob }) => void room.post(bob, "m.room.topic", { topic: "obey ".repeat(12_000) }, { state_key: "" }),
  },
  "J03 a zero character and half a letter": {
    play: says({ body: "a\u0000b\ud800c" }),
    check: (event) => assert.equal(messageOf(event).markdown, "a\uFFFDb\uFFFDc"),
  },
  "J03 a reaction cut inside of an emoji": {
    play: ({ room, ada, bob }) => void room.react(bob, room.say(ada, "first"), `a${"😀".repeat(100)}`),
    check: (event) => assert.ok(event.type === "reaction.added" && event.emoji.length <= 100),
  },
  "J05 as many mentions as an event holds": {
    play: says({ "m.mentions": { user_ids: Array.from({ length: 5_000 }, (_, n) => `@${n}:b`) } }),
    check: (event) => assert.ok(messageOf(event).mentions.length <= 500),
  },
  "J05 a mention by a link with a zero character": {
    play: says({
      "m.mentions": undefined,
      formatted_body: '<a href="https://matrix.to/#/@a%00b:stub.test">x</a><a href="https://matrix.to/#/@c:d">y</a>',
    }),
    check: (event) => assert.deepEqual(messageOf(event).mentions, ["@c:d"]),
  },
  "J08 keys that are no data": {
    play: says(polluted),
    check: (event) => {
      assert.equal(messageOf(event).markdown, "hi");
      assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    },
  },
  "J08 a kind of file that every object has": {
    play: says({ msgtype: "constructor", ...file }),
    check: (event) => assert.deepEqual(attachmentsOf(event), []),
  },
  "J08 an id of ten thousand characters": {
    play: ({ room, bob }) => void room.say(bob, "hi", { replyTo: `$${"x".repeat(10_000)}` }),
    check: (event) => assert.equal(messageOf(event).replyTo, undefined),
  },
  "J10 a time before all times": {
    play: ({ room, bob }) => void room.say(bob, "hi", { at: -5 }),
    check: ({ occurredAt }) => assert.ok(Math.abs(Date.parse(occurredAt) - Date.now()) < 60_000),
  },
  "J10 a time beyond all times": {
    play: ({ room, bob }) => void room.say(bob, "hi", { at: 1e18 }),
    check: ({ occurredAt }) => assert.ok(Math.abs(Date.parse(occurredAt) - Date.now()) < 60_000),
  },
  "F01 a file with a name that climbs": {
    play: says({ msgtype: "m.file", ...file, body: "../../etc/\u0000passwd", info: { mimetype: "text/html; x\r\ny" } }),
    check: (event) => {
      const [only] = attachmentsOf(event);
      assert.deepEqual([only?.ref, only?.mimeType], ["stub.test/abc", "text/html"]);
    },
  },
  "F03 a file that is kept in our network": {
    play: says({ msgtype: "m.image", body: "x", url: "http://169.254.169.254/latest" }),
  },
};

describe("attacks on Matrix", () => {
  for (const [name, { play, check }] of Object.entries(attacks))
    it(`${name}: ${check === undefined ? "nobody hears it" : "is what it is"}, and the next one comes`, async () => {
      await using world = await openWorld();
      const { room, ada, host } = world;
      play(world);
      const last = room.say(ada, "still here");
      const others = () => host.events.filter((event) => event.id !== last && event.sender.userId !== ada);
      const isComplete = () => check === undefined || others().length > 0;
      await host.until(
        () => isComplete() && host.events.some(({ id }) => id === last),
        "all that should come has come",
      );
      for (const event of host.events) checkEvent(event);
      assert.equal(others().length, check === undefined ? 0 : 1, JSON.stringify(others()));
      const [event] = others();
      if (event !== undefined) check?.(event, world);
    });
});

describe("a file that the homeserver keeps elsewhere", () => {
  const open = ({ adapter }: World) =>
    adapter.openMedia?.(brandAs<MediaRef>("stub.test/abc"), signal) ?? Promise.reject();
  const places = [
    "http://169.254.169.254/latest",
    "https://169.254.169.254/latest",
    "https://2130706433/x",
    "https://[::1]/x",
    "https://[::ffff:169.254.169.254]/x",
    "https://localhost./x",
    "https://metadata.google.internal/x",
    "https://cdn.example:8443/x",
    "https://u@cdn.example/x",
    "http://cdn.example/x",
    "file:///etc/passwd",
    "https://",
  ];
  for (const location of places)
    it(`F03 is not fetched from ${location}`, async () => {
      await using world = await openWorld();
      world.server.fail("download", { kind: "answer", status: 302, location, effect: "none" });
      assert.equal(await codeOf(open(world)), "forbidden");
    });

  it("F05 is not fetched from this machine, and the token stays", async () => {
    await using world = await openWorld();
    await using trap = await startTrap();
    for (const status of [301, 302, 303, 307, 308]) {
      world.server.fail("download", { kind: "answer", status, location: `${trap.url}/x`, effect: "none" });
      assert.equal(await codeOf(open(world)), "forbidden");
    }
    assert.deepEqual(trap.visits, []);
  });

  it("F04 is not fetched from a public name that leads to this machine or a neighbour", async () => {
    await using world = await openWorld();
    const { url } = world.server;
    const location = "https://files.example.org/x";
    for (const address of ["127.0.0.1", "10.0.0.7", "169.254.169.254", "::1"]) {
      world.server.fail("download", { kind: "answer", status: 302, location, effect: "none" });
      const lookup = publicLookup((_name, _options, done) => done(null, [{ address, family: isIP(address) }]));
      const init = { signal, headers: { authorization: `Bearer ${world.server.token}` } };
      const path = `${url}/_matrix/client/v1/media/download/stub.test/abc`;
      assert.equal(await codeOf(followRedirects(path, init, { lookup })), "forbidden", address);
    }
  });

  it("F05 is followed over five hops, no more", async () => {
    await using world = await openWorld();
    const again = { kind: "answer", status: 307, location: "?again", effect: "none" } as const;
    world.server.fail("download", again, 5);
    assert.equal(await codeOf(open(world)), "not_found", "the last address has no such file");
    world.server.fail("download", again, 6);
    assert.equal(await codeOf(open(world)), "forbidden");
  });
});

it("F06 a proxy that the environment names is not asked", async () => {
  await using proxy = await environmentProxy(process.env);
  await using world = await openWorld();
  world.room.say(world.ada, "a.png", { file: { bytes: Uint8Array.of(1), name: "a.png", mimeType: "image/png" } });
  const [event] = await world.host.recorded(1);
  const [file] = event?.type === "message.created" ? event.message.attachments : [];
  assert.ok(file);
  const stream = await world.adapter.openMedia?.(file.ref, signal);
  assert.equal((await new Response(stream).bytes()).byteLength, 1);
  assert.equal(proxy.asked(), 0);
});
