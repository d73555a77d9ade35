import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { checkEvent, codeOf, environmentProxy, startTrap } from "@talaria/testkit";
import { open, signal } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof open>>;

const isNext = (event: InboundEvent) => event.type === "message.created" && event.message.markdown === "the next one";
const said = (event: InboundEvent) => {
  assert.ok(event.type === "message.created");
  return event.message;
};

interface Row {
  /** Changes an update that brings the message "x" of Ada's. */
  readonly change: (world: World) => object;
  /** What becomes of it; nothing at all when absent. */
  readonly check?: (event: InboundEvent) => void;
}

const attacks: Readonly<Record<string, Row>> = {
  "A06 a name of a megabyte": {
    change: () => ({ from: { id: 7, first_name: "n".repeat(1_000_000), username: "u".repeat(1_000_000) } }),
    check: ({ sender }) => assert.ok(sender.displayName.length <= 80),
  },
  "J03 half a letter and a zero character": {
    change: () => ({ text: "a\u0000b\ud800c" }),
    check: (event) => assert.equal(said(event).markdown, "a\uFFFDb\uFFFDc"),
  },
  "J05 ten thousand mentions": {
    change: () => ({
      text: "x".repeat(4_000),
      entities: Array.from({ length: 10_000 }, (_, n) => ({
        type: "text_mention",
        offset: 0,
        length: 1,
        user: { id: n },
      })),
    }),
    check: (event) => assert.ok(said(event).mentions.length <= 500),
  },
  "J08 a file id with a zero character": {
    change: () => ({ text: undefined, document: { file_id: "a\u0000b", file_name: "x" } }),
  },
  "J08 an album's id that is none": {
    change: () => ({ media_group_id: "\u0000" }),
    check: (event) => assert.equal(said(event).albumId, undefined),
  },
  "J08 keys that are no data": {
    change: () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'),
    check: () => assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined),
  },
  "F08 ten thousand sizes of a picture": {
    change: () => ({ photo: Array.from({ length: 10_000 }, (_, n) => ({ file_id: `F${n}`, width: n, height: n })) }),
    check: (event) => assert.equal(said(event).attachments.length, 1),
  },
};

describe("attacks on Telegram", () => {
  for (const [name, { change, check }] of Object.entries(attacks))
    it(`${name}: ${check === undefined ? "nobody hears it" : "is what it is"}, and the next one comes`, async () => {
      await using world = await open();
      const { server, chat, ada, host } = world;
      const message = { message_id: 5_000, date: 1_790_000_000, chat: { id: chat.id, type: "private" }, from: ada };
      server.raw({ message: { ...message, text: "x", ...change(world) } });
      chat.say(ada, "the next one");
      await host.until(() => host.events.some(isNext), "the neighbour came in");
      for (const event of host.events) checkEvent(event);
      const others = host.events.filter((event) => !isNext(event));
      assert.equal(others.length, check === undefined ? 0 : 1, JSON.stringify(others).slice(0, 500));
      if (others[0] !== undefined) check?.(others[0]);
    });

  it("J03 a reaction with a zero character and without end is cut", async () => {
    await using world = await open();
    const { server, chat, ada, host } = world;
    const at = { chat: { id: chat.id, type: "private" }, message_id: 5, date: 1_790_000_000, user: ada };
    const emoji = `\u0000\ud800${"x".repeat(100_000)}`;
    server.raw({ message_reaction: { ...at, old_reaction: [], new_reaction: [{ type: "emoji", emoji }] } });
    chat.say(ada, "the next one");
    await host.until(() => host.events.some(isNext), "the neighbour came in");
    for (const event of host.events) checkEvent(event);
    const [reaction] = host.events;
    assert.ok(reaction?.type === "reaction.added" && reaction.emoji.length <= 100);
  });
});

describe("Telegram's paths of files", () => {
  it("F05 lead nowhere else, and the token stays", async () => {
    await using world = await open();
    await using trap = await startTrap();
    const { server, adapter, chat, ada, host } = world;
    chat.sendDocument(ada, { bytes: Uint8Array.of(1) });
    const [event] = await host.recorded(1);
    const [file] = event === undefined ? [] : said(event).attachments;
    assert.ok(file);
    for (const code of [301, 302, 307, 308]) {
      server.fail("download", { kind: "answer", code, location: `${trap.url}/x`, effect: "none" });
      assert.equal(await codeOf(adapter.openMedia?.(file.ref, signal)), "unavailable");
    }
    assert.deepEqual(trap.visits, []);
  });

  for (const place of ["http://169.254.169.254/latest", "//127.0.0.1/x", "@169.254.169.254/x", "?x=1", "x#y"])
    it(`F03 ${place} is a path of Telegram's server and nothing else`, async () => {
      await using world = await open();
      await using trap = await startTrap();
      const { server, adapter, chat, ada, host } = world;
      chat.sendDocument(ada, { bytes: Uint8Array.of(1) });
      const [event] = await host.recorded(1);
      const [file] = event === undefined ? [] : said(event).attachments;
      assert.ok(file);
      const file_path = place.replace("127.0.0.1", new URL(trap.url).host);
      const body = JSON.stringify({ ok: true, result: { file_id: file.ref, file_unique_id: "x", file_path } });
      server.fail("getFile", { kind: "answer", code: 200, body, effect: "none" });
      assert.match(await codeOf(adapter.openMedia?.(file.ref, signal)), /^(not_found|unsupported)$/);
      assert.deepEqual(trap.visits, []);
    });
});

it("F06 a proxy that the environment names is not asked", async () => {
  await using proxy = await environmentProxy(process.env);
  await using world = await open();
  world.chat.sendDocument(world.ada, { bytes: Uint8Array.of(1) });
  const [event] = await world.host.recorded(1);
  const [file] = event?.type === "message.created" ? event.message.attachments : [];
  assert.ok(file);
  const stream = await world.adapter.openMedia?.(file.ref, signal);
  assert.equal((await new Response(stream).bytes()).byteLength, 1);
  assert.equal(proxy.asked(), 0);
});
