import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type InboundEvent, type MediaRef } from "@talaria/protocol";
import { adapterDeps, checkEvent, messageOf, RecordingHost } from "@talaria/testkit";
import { whatsappConfigSchema } from "../config.ts";
import { accountId, failureOf } from "../testing/cloud-world.ts";
import { handSockets } from "../testing/hand-socket.ts";
import { createWebAdapter } from "./adapter.ts";
import type { WebMessage } from "./socket.ts";

const { signal } = new AbortController();
const jidOf = (number: string) => `${number}@s.whatsapp.net`;
const ada = "4915550000001";
const eve = "4915550000666";
const groupJid = "120363000000000001@g.us";
const key = new Uint8Array(32);
const picture = { mediaKey: key, directPath: "/v/t62.7118-24/1_n.enc?ccb=11-4&oh=01_Q5Aa", mimetype: "image/png" };

/** What Eve writes in the group, in Ada's direct conversation if told so. */
function fromEve(message: object, more: Partial<WebMessage> = {}, keys: Partial<WebMessage["key"]> = {}): WebMessage {
  const id = { remoteJid: groupJid, participant: jidOf(eve), id: "EVE1", fromMe: false, ...keys };
  return { key: id, message, messageTimestamp: Math.floor(Date.now() / 1_000), pushName: "Eve", ...more };
}

const fromAda = (id: string, text: string): WebMessage =>
  fromEve({ conversation: text }, { pushName: "Ada" }, { participant: jidOf(ada), id });

async function openWorld() {
  const { sockets, openSocket } = handSockets();
  const config = whatsappConfigSchema.parse({ mode: "web" });
  assert.equal(config.mode, "web");
  const adapter = createWebAdapter(config, adapterDeps({ id: accountId }), openSocket);
  const host = new RecordingHost(30_000);
  const starting = adapter.start(host);
  await host.until(() => sockets.length === 1, "a connection is opened");
  const [socket] = sockets;
  socket?.say("connection.update", { connection: "open" });
  await starting;
  const receive = (...messages: WebMessage[]) => socket?.say("messages.upsert", { messages, type: "notify" });
  return { adapter, host, receive, [Symbol.asyncDispose]: () => adapter.stop() };
}

interface Row {
  readonly message: WebMessage;
  /** What becomes of it; nothing at all when absent. */
  readonly check?: (event: InboundEvent) => void;
}

const says = (message: object, check?: Row["check"]): Row => ({
  message: fromEve(message),
  ...(check === undefined ? {} : { check }),
});
const keyed = (keys: Partial<WebMessage["key"]>): Row => ({ message: fromEve({ conversation: "hi" }, {}, keys) });
const quoting = (contextInfo: object, check: Row["check"]) =>
  says({ extendedTextMessage: { text: "hi", contextInfo } }, check);
const timed = (messageTimestamp: number): Row => ({
  message: fromEve({ conversation: "hi" }, { messageTimestamp }),
  check: ({ occurredAt }) => assert.ok(Math.abs(Date.parse(occurredAt) - Date.now()) < 60_000),
});
const named = (pushName: string, check: Row["check"]): Row => ({
  message: fromEve({ conversation: "hi" }, { pushName }),
  ...(check === undefined ? {} : { check }),
});

const attacks: Readonly<Record<string, Row>> = {
  "A03 a sender without an id": keyed({ participant: "" }),
  "A03 a sender whose id is a name": keyed({ participant: "ada@s.whatsapp.net" }),
  "A03 a sender with a zero character": keyed({ participant: `${ada}\u0000@s.whatsapp.net` }),
  "A04 a number that contains Ada's": {
    message: fromEve({ conversation: "hi" }, {}, { participant: jidOf(`${ada}1`) }),
    check: ({ sender }) => assert.equal(sender.userId, `${ada}1`),
  },
  "A06 Ada's name": named("Ada\u202E\u200B", ({ sender }) =>
    assert.deepEqual([sender.userId, sender.displayName], [eve, "Ada"]),
  ),
  "A06 a name of a megabyte": named("n".repeat(1_000_000), ({ sender }) => assert.ok(sender.displayName.length <= 80)),
  "J08 a message without an id": keyed({ id: "" }),
  "J08 an id with a zero character": keyed({ id: "A\u0000" }),
  "J08 an id of ten thousand characters": keyed({ id: "A".repeat(10_000) }),
  "J08 a reaction to nothing": says({ reactionMessage: { key: { id: "" }, text: "x" } }),
  "J08 a reaction to an id of a megabyte": says({ reactionMessage: { key: { id: "x".repeat(1_000_000) }, text: "x" } }),
  "J08 a reaction without end": says({ reactionMessage: { key: { id: "A" }, text: "x".repeat(1_000_000) } }),
  "J08 a deletion of nothing": says({ protocolMessage: { type: 0, key: { id: "" } } }),
  "J08 an answer to nothing": quoting({ stanzaId: "" }, (event) => assert.equal(messageOf(event).replyTo, undefined)),
  "J08 an answer to an id with a zero character": quoting({ stanzaId: "\u0000" }, (event) =>
    assert.equal(messageOf(event).replyTo, undefined),
  ),
  "J08 keys that are no data": says(
    JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}},"conversation":"hi"}'),
    (event) => {
      assert.equal(messageOf(event).markdown, "hi");
      assert.equal(({} as { isAdmin?: boolean }).isAdmin, undefined);
    },
  ),
  "J03 a zero character and half a letter": says({ conversation: "a\u0000b\ud800c" }, (event) =>
    assert.equal(messageOf(event).markdown, "a\uFFFDb\uFFFDc"),
  ),
  "J03 a quote cut inside of an emoji": quoting(
    { stanzaId: "A", participant: jidOf(ada), quotedMessage: { conversation: `a${"😀".repeat(1_000)}` } },
    (event) => assert.ok((messageOf(event).quote?.markdown.length ?? 0) <= 1_000),
  ),
  "J05 ten thousand mentions": quoting(
    { mentionedJid: Array.from({ length: 10_000 }, (_, n) => jidOf(`49155500${n}`)) },
    (event) => assert.ok(messageOf(event).mentions.length <= 500),
  ),
  "J10 a time before all times": timed(-5),
  "J10 a time beyond all times": timed(1e18),
  "J10 a time that is none": timed(Number.NaN),
  "F01 a file with a name that climbs": says(
    { documentMessage: { ...picture, fileName: "..\\../etc/\u0000passwd", mimetype: "text/html; x\r\ny" } },
    (event) => {
      const [file] = messageOf(event).attachments;
      assert.match(file?.ref ?? "", /^document [\w-]{43} \/v\//);
      assert.equal(file?.mimeType, "text/html");
    },
  ),
  "F01 a file whose path has a zero character": says({ imageMessage: { ...picture, directPath: "/v/\u0000" } }),
  "F03 a file of another host": says({ imageMessage: { ...picture, directPath: "https://169.254.169.254/latest" } }),
  "F03 a file whose path is a user name": says({ imageMessage: { ...picture, directPath: "@169.254.169.254/latest" } }),
  "F08 a key of a megabyte": says({ imageMessage: { ...picture, mediaKey: new Uint8Array(1_000_000) } }),
};

describe("attacks on WhatsApp Web", () => {
  for (const [name, { message, check }] of Object.entries(attacks))
    it(`${name}: ${check === undefined ? "nobody hears it" : "is what it is"}, and the next one comes`, async () => {
      await using world = await openWorld();
      world.receive(message, fromAda("ADA1", "still here"));
      const last = (event: InboundEvent) => event.type === "message.created" && event.message.messageId === "ADA1";
      await world.host.until(() => world.host.events.some(last), "the next message comes");
      for (const event of world.host.events) checkEvent(event);
      const others = world.host.events.filter((event) => !last(event));
      assert.equal(others.length, check === undefined ? 0 : 1, JSON.stringify(others));
      if (others[0] !== undefined) check?.(others[0]);
    });

  it("A12 nobody speaks, changes or takes back under the id of somebody else's message", async () => {
    await using world = await openWorld();
    const { host, receive } = world;
    const about = { key: { id: "ADA1" } };
    receive(
      fromAda("ADA1", "Ada's words"),
      fromEve({ conversation: "Eve's words" }, {}, { id: "ADA1" }),
      fromEve(
        { protocolMessage: { ...about, type: 14, editedMessage: { conversation: "Eve's words" } } },
        {},
        { id: "EVE2" },
      ),
      fromEve({ protocolMessage: { ...about, type: 0 } }, {}, { id: "EVE3" }),
      fromAda("ADA2", "the end"),
    );
    await host.until(() => host.events.length >= 2, "both messages of Ada came");
    assert.deepEqual(
      host.events.map((event) => [event.sender.userId, messageOf(event).markdown]),
      [
        [ada, "Ada's words"],
        [ada, "the end"],
      ],
    );
  });

  for (const ref of [
    "",
    "F1",
    `image ${"A".repeat(43)} //169.254.169.254/x`,
    `image ${"A".repeat(43)} /x@evil.example`,
    `image ${"A".repeat(43)} /v/\u0000`,
    "image AAAA /v/x",
    `constructor ${"A".repeat(43)} /v/x`,
  ])
    it(`F03 a file ${JSON.stringify(ref)} is asked of nobody`, async () => {
      await using world = await openWorld();
      const opening = world.adapter.openMedia?.(brandAs<MediaRef>(ref), signal) ?? Promise.reject();
      assert.equal((await failureOf(opening)).code, "not_found");
    });
});
