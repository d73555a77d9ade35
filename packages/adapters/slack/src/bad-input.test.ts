import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type InboundEvent, type MediaRef, silentLog } from "@talaria/protocol";
import { checkEvent, codeOf, environmentProxy, startTrap } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

type World = Awaited<ReturnType<typeof openWorld>>;

const { signal } = new AbortController();
const textOf = (event: InboundEvent) => (event.type === "message.created" ? event.message.markdown : event.type);

interface Row {
  /** Changes an event that says "hello" in Ada's name. */
  readonly change: (world: World) => object;
  /** What becomes of it; nothing at all when absent. */
  readonly check?: (event: InboundEvent, world: World) => void;
}

const attacks: Readonly<Record<string, Row>> = {
  "A03 a sender without an id": { change: () => ({ user: "" }) },
  "A03 a sender whose id is a name": { change: () => ({ user: "ada" }) },
  "A03 nobody at all": { change: () => ({ user: undefined }) },
  "A04 an id that contains Ada's": {
    change: ({ ada }) => ({ user: `${ada.id}X` }),
    check: ({ sender }, { ada }) => assert.equal(sender.userId, `${ada.id}X`),
  },
  "A05 Ada's user name on somebody else": {
    change: ({ server, ada }) => ({ user: server.user(ada.name).id, username: ada.name }),
    check: ({ sender }, { ada }) => assert.notEqual(sender.userId, ada.id),
  },
  "A06 Ada's name in letters that turn around": {
    change: ({ server }) => ({ user: server.user("\u202Eada\u200B\u0000\nOwner").id }),
    check: ({ sender }, { ada }) => {
      assert.notEqual(sender.userId, ada.id);
      assert.equal(sender.displayName, "ada Owner");
    },
  },
  "A06 a name of a megabyte": {
    change: ({ server }) => ({ user: server.user("n".repeat(1_000_000)).id }),
    check: ({ sender }) => assert.ok(sender.displayName.length <= 80),
  },
  "A09 a notice that a topic was set": { change: () => ({ subtype: "channel_topic", topic: "obey" }) },
  "A09 a notice of a pin": { change: () => ({ subtype: "pinned_item" }) },
  "A19 our own words under Ada's name": {
    change: ({ server, ada }) => ({ user: server.bot.id, username: ada.name }),
  },
  "A19 an app that calls itself Ada": {
    change: ({ ada }) => ({ user: undefined, subtype: "bot_message", bot_id: "B0OTHER", username: ada.name }),
    check: ({ sender }) => assert.deepEqual([sender.role, sender.userId], ["bot", "B0OTHER"]),
  },
  "J03 a zero character and half a letter": {
    change: () => ({ text: "a\u0000b\ud800c" }),
    check: (event) => assert.equal(textOf(event), "a\uFFFDb\uFFFDc"),
  },
  "J08 keys that are no data": {
    change: () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}'),
    check: (event) => {
      assert.equal(textOf(event), "hello");
      assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    },
  },
  "J08 an id of a thousand digits": { change: () => ({ ts: `${"1".repeat(1_000)}.000100` }) },
  "J08 a channel that climbs": { change: () => ({ channel: "../C1" }) },
  "J05 ten thousand mentions": {
    change: () => ({ text: `hello ${Array.from({ length: 10_000 }, (_, n) => `<@U${n}X>`).join(" ")}` }),
    check: (event) => assert.ok(event.type === "message.created" && event.message.mentions.length <= 500),
  },
  "J10 a time before all times": { change: () => ({ ts: "-5.000100" }) },
  "J10 a time beyond all times": {
    change: () => ({ ts: "999999999999.000100" }),
    check: (event) => assert.ok(Math.abs(Date.parse(event.occurredAt) - Date.now()) < 60_000),
  },
  "F01 a file with an id that climbs": {
    change: () => ({ files: [{ id: "../F1", name: "a" }] }),
    check: (event) => assert.ok(event.type === "message.created" && event.message.attachments.length === 0),
  },
  "F01 a file with a name that climbs, of a type that is none": {
    change: () => ({
      files: [{ id: "F0", name: "..\\..\\\u0000etc/passwd", mimetype: "text/html; x\r\ny", size: -1, mode: "hosted" }],
    }),
    check: (event) => {
      assert.ok(event.type === "message.created");
      assert.deepEqual(
        event.message.attachments.map(({ ref, mimeType, byteLength }) => [ref, mimeType, byteLength]),
        [["F0", "application/octet-stream", undefined]],
      );
    },
  },
  "F08 ten thousand files": {
    change: () => ({ files: Array.from({ length: 10_000 }, (_, n) => ({ id: `F${n}`, name: "a", mode: "hosted" })) }),
    check: (event) => assert.ok(event.type === "message.created" && event.message.attachments.length <= 100),
  },
};

/** Nulls are absences: no field but those that say who, where and when may make an event unreadable. */
const nulls: readonly object[] = [
  { subtype: null, username: null, thread_ts: null, channel_type: null, event_ts: null },
  { bot_id: null, bot_profile: null, parent_user_id: null, team: null, edited: null },
  { files: null, blocks: null, attachments: null, client_msg_id: null, item: null, subteam: null },
  { files: [{ id: "F0", name: null, title: null, mimetype: null, size: null, subtype: null, mode: null }] },
  { attachments: [null, { text: null, fields: null, is_share: null, author_id: null }], blocks: [null] },
];

describe("nulls on Slack", () => {
  for (const fields of nulls)
    it(`${JSON.stringify(fields)} is absent`, async () => {
      await using world = await openWorld();
      const ts = world.channel.say(world.ada, "first");
      await world.host.recorded(1);
      const outer = { team_id: null, api_app_id: null, authorizations: null };
      world.channel.forge(ts, { ts: "1700000000.000100", text: "hello", ...fields });
      world.channel.forge(ts, { ts: "1700000000.000200", text: "hello", ...fields }, outer);
      const events = await world.host.recorded(3);
      assert.deepEqual(events.map(textOf), ["first", "hello", "hello"]);
    });
});

describe("events that cannot be read", () => {
  it("are counted and logged without what they say, and acknowledged", async () => {
    const lines: { fields: object; message: string }[] = [];
    const warn = (fields: object, message: string) => void lines.push({ fields, message });
    const counted: string[] = [];
    const countUnreadable = (kind: string) => void counted.push(kind);
    await using world = await openWorld({ deps: { log: { ...silentLog, warn }, countUnreadable } });
    const ts = world.channel.say(world.ada, "first");
    const deliveries = [
      world.channel.forge(ts, { ts: "secret words" }),
      world.channel.forge(ts, { subtype: "message_changed", message: 5 }),
    ];
    await world.host.until(() => deliveries.every(({ isAcknowledged }) => isAcknowledged), "both are acknowledged");
    const told = lines.filter(({ message }) => message.includes("could not be read"));
    assert.deepEqual(
      told.map(({ fields }) => fields),
      [
        { accountId: "slack-main", kind: "message", fields: ["ts"] },
        { accountId: "slack-main", kind: "message_changed", fields: ["message"] },
      ],
    );
    assert.deepEqual(counted, ["message", "message_changed"]);
    assert.ok(!JSON.stringify(lines).includes("secret"));
  });
});

describe("attacks on Slack", () => {
  for (const [name, { change, check }] of Object.entries(attacks))
    it(`${name}: ${check === undefined ? "is nobody's message" : "is what it is"}, and the next one comes`, async () => {
      await using world = await openWorld();
      const { channel, ada, host } = world;
      const changed = change(world);
      const ts = channel.say(ada, "hello");
      await host.recorded(1);
      channel.forge(ts, { ts: "1700000000.000100", ...changed });
      channel.say(ada, "still here");
      await host.until(() => host.events.some((event) => textOf(event) === "still here"), "the next message comes");
      for (const event of host.events) checkEvent(event);
      const others = host.events.slice(1).filter((event) => textOf(event) !== "still here");
      assert.equal(others.length, check === undefined ? 0 : 1, JSON.stringify(others));
      if (others[0] !== undefined) check?.(others[0], world);
      assert.equal(host.states.at(-1)?.status, "connected");
    });
});

describe("Slack's addresses of files", () => {
  const places: Readonly<Record<string, readonly string[]>> = {
    F03: [
      "http://169.254.169.254/latest",
      "http://127.1/x",
      "http://[::1]/x",
      "http://2130706433/",
      "http://0x7f000001",
    ],
    F01: ["file:///etc/passwd", "\\\\host\\share", "not an address", ""],
    F07: [
      "https://files.slack.com.evil.example/x",
      "https://evilslack.com/x",
      "http://files.slack.com/x",
      "https://files.slack.com@evil.example/x",
    ],
  };
  for (const [row, addresses] of Object.entries(places))
    for (const address of addresses)
      it(`${row} ${JSON.stringify(address)} is not asked`, async () => {
        await using world = await openWorld();
        const body = JSON.stringify({ ok: true, file: { url_private: address } });
        world.server.fail("files.info", { kind: "answer", code: 200, body, effect: "none" });
        assert.equal(await codeOf(open(world, "F0123")), "forbidden");
      });

  it("F05 lead nowhere else, and the token stays", async () => {
    await using world = await openWorld();
    await using trap = await startTrap();
    world.channel.say(world.ada, "look", { files: [{ bytes: Uint8Array.of(1) }] });
    const [event] = await world.host.recorded(1);
    const [file] = event?.type === "message.created" ? event.message.attachments : [];
    assert.ok(file);
    for (const code of [301, 302, 307, 308]) {
      world.server.fail("download", { kind: "answer", code, location: `${trap.url}/x`, effect: "none" });
      assert.equal(await codeOf(open(world, file.ref)), "unavailable");
      world.server.fail("files.info", { kind: "answer", code, location: `${trap.url}/x`, effect: "none" });
      assert.notEqual(await codeOf(open(world, file.ref)), "no error");
    }
    assert.deepEqual(trap.visits, []);
  });

  function open({ adapter }: World, ref: string) {
    return adapter.openMedia?.(brandAs<MediaRef>(ref), signal) ?? Promise.reject();
  }
});

it("F06 a proxy that the environment names is not asked", async () => {
  await using proxy = await environmentProxy(process.env);
  await using world = await openWorld();
  world.channel.say(world.ada, "look", { files: [{ bytes: Uint8Array.of(1) }] });
  const [event] = await world.host.recorded(1);
  const [file] = event?.type === "message.created" ? event.message.attachments : [];
  assert.ok(file);
  const stream = await world.adapter.openMedia?.(file.ref, signal);
  assert.equal((await new Response(stream).bytes()).byteLength, 1);
  assert.equal(proxy.asked(), 0);
});
