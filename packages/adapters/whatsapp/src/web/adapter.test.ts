import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  brandAs,
  type Conversation,
  type DeliveryKey,
  type MediaRef,
  type OutboundMessage,
  type UserId,
} from "@talaria/protocol";
import { adapterDeps, type DepsFacts, memoryStore, messageOf, RecordingHost } from "@talaria/testkit";
import { whatsappConfigSchema } from "../config.ts";
import { accountId, conversation, failureOf, message } from "../testing/cloud-world.ts";
import { handSockets } from "../testing/hand-socket.ts";
import { createWebAdapter } from "./adapter.ts";
import type { WebMessage } from "./socket.ts";

const { signal } = new AbortController();
const ada = "4915550000001";
const adaJid = `${ada}@s.whatsapp.net`;
const groupJid = "120363000000000001@g.us";
const group: Conversation = { ...conversation(groupJid), kind: "group" };
const now = () => Math.floor(Date.now() / 1_000);

function said(id: string, content: object, more: Partial<WebMessage["key"]> = {}): WebMessage {
  const key = { remoteJid: adaJid, id, fromMe: false, ...more };
  return { key, message: content, messageTimestamp: now(), pushName: "Ada" };
}

/** An adapter that is asked to link a device, or connected when `isOpen`. */
async function openWebWorld({ settings = {}, isOpen = true, ...facts }: DepsFacts & WorldFacts = {}) {
  const { sockets, openSocket } = handSockets();
  const store = memoryStore();
  const config = whatsappConfigSchema.parse({ mode: "web", ...settings });
  assert.equal(config.mode, "web");
  const adapter = createWebAdapter(config, adapterDeps({ id: accountId, store, ...facts }), openSocket);
  const host = new RecordingHost(30_000);
  const starting = adapter.start(host).catch(() => undefined);
  await host.until(() => sockets.length === 1, "a connection is opened");
  const socket = () => sockets.at(-1) ?? assert.fail("there is no connection");
  if (isOpen) {
    socket().say("connection.update", { connection: "open" });
    await starting;
  }
  const receive = (...messages: WebMessage[]) => socket().say("messages.upsert", { messages, type: "notify" });
  return { adapter, host, sockets, socket, store, receive, starting, [Symbol.asyncDispose]: () => adapter.stop() };
}

interface WorldFacts {
  readonly settings?: object;
  readonly isOpen?: boolean;
}

describe("linking a device", () => {
  it("shows each QR code, and stores credentials before it connects again after the link", async () => {
    await using world = await openWebWorld({ isOpen: false });
    const { host, sockets, socket, store } = world;
    socket().say("connection.update", { qr: "first" });
    await world.starting;
    socket().say("connection.update", { qr: "second" });
    assert.deepEqual(host.states.slice(1), [
      { status: "linking", method: "qr", value: "first" },
      { status: "linking", method: "qr", value: "second" },
    ]);
    socket().say("creds.update", {});
    socket().close(515);
    await host.until(() => sockets.length === 2, "it connects again at once");
    assert.ok(store.values.get("web-creds"));
    socket().say("connection.update", { connection: "open" });
    await host.until(() => host.states.at(-1)?.status === "connected", "connected");
    assert.equal(host.states.filter(({ status }) => status === "reconnecting").length, 0);
    assert.ok(sockets[0]?.isEnded);
  });

  it("shows a code to type in when a number is configured, once", async () => {
    await using world = await openWebWorld({ isOpen: false, settings: { pairingNumber: "4915550001234" } });
    world.socket().say("connection.update", { qr: "first" });
    world.socket().say("connection.update", { qr: "second" });
    await world.host.until(() => world.host.states.length > 1, "a code is shown");
    assert.deepEqual(world.host.states.slice(1), [{ status: "linking", method: "code", value: "CODE1234" }]);
  });

  for (const [status, hint, forgets] of [
    [401, /removed: restart to link/, true],
    [403, /banned/, false],
    [440, /another program/, false],
    [405, /webVersion/, false],
  ] as const)
    it(`asks the operator after ${status}${forgets ? ", and forgets the link" : ""}`, async () => {
      await using world = await openWebWorld();
      const { host, socket, store } = world;
      socket().say("creds.update", {});
      socket().close(status);
      await host.until(() => host.states.at(-1)?.status === "needs-operator", "the operator is asked");
      assert.match(JSON.stringify(host.states.at(-1)), hint);
      assert.equal(store.values.has("web-creds"), !forgets);
      assert.equal(world.sockets.length, 1);
    });

  it("connects again after other losses, and gives up linking when nobody does it", async () => {
    await using world = await openWebWorld();
    world.socket().close(428);
    await world.host.until(() => world.sockets.length === 2, "a new connection");
    assert.equal(world.host.states.at(-1)?.status, "reconnecting");
    await using idle = await openWebWorld({ isOpen: false });
    idle.socket().close(408);
    await idle.host.until(() => idle.host.states.at(-1)?.status === "needs-operator", "the operator is asked");
  });

  it("ends the connection when credentials cannot be stored", async () => {
    const store = { ...memoryStore(), write: () => Promise.reject(new Error("disk full")) };
    await using world = await openWebWorld({ store });
    world.socket().say("creds.update", {});
    await world.host.until(() => world.sockets.length === 2, "it begins again from what is stored");
  });
});

describe("what comes in on a linked device", () => {
  it("takes direct messages and those of a group, with mentions, quotes and ids of both kinds", async () => {
    await using world = await openWebWorld();
    const contextInfo = {
      stanzaId: "OURS",
      participant: "777:7@lid",
      quotedMessage: { conversation: "what we said" },
      mentionedJid: ["777@lid", adaJid],
    };
    const inGroup = { remoteJid: groupJid, participant: "555@lid", participantAlt: `${ada}:3@s.whatsapp.net` };
    world.receive(
      said("A1", { conversation: "hello" }),
      said("A2", { extendedTextMessage: { text: "@777 what?", contextInfo } }, inGroup),
      said("A3", { ephemeralMessage: { message: { conversation: "soon gone" } } }, { remoteJid: "999@lid" }),
      said("A4", { conversation: "mine" }, { fromMe: true }),
    );
    const events = await world.host.recorded(4);
    assert.deepEqual(
      events.map((event) => [
        event.conversation.kind,
        event.conversation.conversationId,
        event.sender.userId,
        event.sender.role,
        event.type === "message.created" && [event.message.markdown, event.message.mentionsSelf],
      ]),
      [
        ["direct", ada, ada, "person", ["hello", false]],
        ["group", groupJid, ada, "person", ["@777 what?", true]],
        ["direct", "999@lid", "999@lid", "person", ["soon gone", false]],
        ["direct", ada, "4915550000009", "self", ["mine", false]],
      ],
    );
    const [, second] = events;
    assert.ok(second?.type === "message.created");
    const ours = { userId: "777@lid", displayName: "you", markdown: "what we said", own: true };
    assert.deepEqual(second.message.quote, ours);
    assert.equal(second.message.repliesToSelf, true);
  });

  it("takes the file of a quoted message", async () => {
    await using world = await openWebWorld();
    const file = { mediaKey: new Uint8Array(32).fill(7), directPath: "/v/t62.7118-24/1_n.enc?oe=1" };
    const contextInfo = { stanzaId: "A1", participant: adaJid, quotedMessage: { imageMessage: file } };
    world.receive(said("A2", { extendedTextMessage: { text: "what is on it?", contextInfo } }));
    const [event] = await world.host.recorded(1);
    assert.ok(event?.type === "message.created");
    const { quote } = event.message;
    assert.deepEqual([quote?.markdown, quote?.attachments?.map(({ kind }) => kind)], ["", ["image"]]);
  });

  it("takes what a group of three posts without a word, and questions about it by reply and by mention", async () => {
    await using world = await openWebWorld();
    const file = { mediaKey: new Uint8Array(32).fill(7), directPath: "/v/t62.7118-24/1_n.enc?oe=1" };
    const [bobJid, cleoJid] = ["4915550000002@s.whatsapp.net", "4915550000003@s.whatsapp.net"];
    const picture = { imageMessage: file };
    const budget = { documentMessage: { ...file, fileName: "budget.txt", mimetype: "text/plain" } };
    const forward = { extendedTextMessage: { text: "PAPAYA is ripe", contextInfo: { isForwarded: true } } };
    const posted = [
      ["P", bobJid, picture],
      ["F", bobJid, budget],
      ["W", cleoJid, forward],
    ] as const;
    const from = (participant: string) => ({ remoteJid: groupJid, participant });
    const asking = (id: string, contextInfo: object) =>
      said(id, { extendedTextMessage: { text: "@777 what is it?", contextInfo } }, from(adaJid));
    const mentionedJid = ["777@lid"];
    world.receive(
      ...posted.map(([id, author, content]) => said(id, content, from(author))),
      asking("M", { mentionedJid }),
      ...posted.map(([stanzaId, participant, quotedMessage]) =>
        asking(`Q${stanzaId}`, { mentionedJid, stanzaId, participant, quotedMessage }),
      ),
    );
    const events = await world.host.recorded(7);
    assert.ok(events.every((event) => event.conversation.conversationId === groupJid));
    const messages = events.map((event) => messageOf(event));
    const seen = [
      ["", [["image", undefined]]],
      ["", [["file", "budget.txt"]]],
      ["PAPAYA is ripe\n[forwarded]", []],
    ];
    const shown = (one: { markdown: string; attachments?: (typeof messages)[number]["attachments"] } | undefined) => [
      one?.markdown,
      (one?.attachments ?? []).map(({ kind, name }) => [kind, name]),
    ];
    assert.deepEqual(messages.slice(0, 3).map(shown), seen);
    assert.deepEqual(
      messages.map(({ mentionsSelf }) => mentionsSelf),
      [false, false, false, true, true, true, true],
    );
    assert.deepEqual(
      messages.slice(4).map(({ quote }) => shown(quote)),
      seen,
    );
    assert.deepEqual(
      messages.slice(3).map(({ replyTo }) => replyTo),
      [undefined, "P", "F", "W"],
    );
  });

  it("tells what people see of places, contacts, polls and forwards", async () => {
    await using world = await openWebWorld();
    const place = { degreesLatitude: 52.5, degreesLongitude: 13.25 };
    const vcard = "BEGIN:VCARD\r\nFN:Zoe\r\nitem1.TEL;waid=49301:+49 301\r\nTEL:+49 302\r\nNOTE:TEL:no\r\nEND:VCARD";
    const zoe = { displayName: "Zoe", vcard };
    const options = [{ optionName: "red" }, { optionName: "blue]" }];
    const poll = { name: "Which?", options };
    const contextInfo = { isForwarded: true };
    const answering = { stanzaId: "A1", participant: adaJid, quotedMessage: { conversation: "hello" } };
    const messages: readonly (readonly [object, string])[] = [
      [{ locationMessage: { ...place, name: "Office", address: "1 Way" } }, "[location: 52.5, 13.25, Office, 1 Way]"],
      [{ liveLocationMessage: { ...place, caption: "on my way" } }, "[live location: 52.5, 13.25, on my way]"],
      [{ contactMessage: zoe }, "[contact: Zoe, +49 301, +49 302]"],
      [{ contactsArrayMessage: { contacts: [zoe, {}] } }, "[contact: Zoe, +49 301, +49 302]\n[contact: somebody]"],
      [{ pollCreationMessage: poll }, "[poll: Which?, red, blue]"],
      [{ pollCreationMessageV3: { ...poll, contextInfo: answering } }, "[poll: Which?, red, blue]"],
      [{ extendedTextMessage: { text: "PAPAYA", contextInfo } }, "PAPAYA\n[forwarded]"],
      [{ extendedTextMessage: { text: "/stop", contextInfo } }, "/stop"],
    ];
    world.receive(...messages.map(([content], n) => said(`A${n}`, content)));
    const events = (await world.host.recorded(messages.length)).map((event) => messageOf(event));
    assert.deepEqual(
      events.map(({ markdown }) => markdown),
      messages.map(([, markdown]) => markdown),
    );
    assert.equal(events[5]?.quote?.markdown, "hello", "a poll may answer");
  });

  it("names whom is quoted as they call themselves, and looks up what nobody sent along", async () => {
    await using world = await openWebWorld();
    const answering = (id: string, stanzaId: string, participant: string, more: object = {}) =>
      said(id, { extendedTextMessage: { text: "really?", contextInfo: { stanzaId, participant, ...more } } });
    const ours = { userId: brandAs<UserId>("agent"), displayName: "", markdown: "A machine.", own: true } as const;
    world.host.heard = async (_, id) => (id === "OLD" ? ours : undefined);
    world.receive(
      { ...said("A1", { conversation: "hello" }), pushName: "Ada" },
      answering("A2", "A1", adaJid, { quotedMessage: { conversation: "hello" } }),
      answering("A3", "B1", "4915550000002@s.whatsapp.net", { quotedMessage: { conversation: "hi" } }),
      answering("A4", "OLD", "777:7@lid"),
      answering("A5", "GONE", "777:7@lid"),
    );
    const quotes = (await world.host.recorded(5)).slice(1).map((event) => messageOf(event).quote);
    assert.deepEqual(
      quotes.map((quote) => [quote?.displayName, quote?.markdown, quote?.own, quote?.fact]),
      [
        ["Ada", "hello", undefined, undefined],
        ["+4915550000002", "hi", undefined, undefined],
        ["you", "A machine.", true, undefined],
        ["WhatsApp", "this answers an earlier message of yours, whose words are not known any more", undefined, true],
      ],
    );
  });

  it("gives a message the same event id however it comes, and other messages others", async () => {
    await using world = await openWebWorld();
    world.receive(said("A1", { conversation: "one" }));
    world.socket().say("messages.upsert", { messages: [said("A1", { conversation: "one" })], type: "append" });
    world.receive(said("A1", { conversation: "two" }, { remoteJid: "4915550000002@s.whatsapp.net" }));
    const [first, again, other] = await world.host.recorded(3);
    assert.equal(first?.id, again?.id);
    assert.notEqual(first?.id, other?.id);
  });

  it("counts what it knows and can't read, and nothing else", async () => {
    const unreadable: string[] = [];
    await using world = await openWebWorld({ countUnreadable: (kind) => unreadable.push(kind) });
    world.receive(
      { ...said("U1", {}), message: null },
      said("U2", { conversation: "x" }, { id: "" }),
      said("U3", { conversation: "x" }, { remoteJid: groupJid, participant: "nobody" }),
      said("U4", { imageMessage: { mediaKey: "no key", directPath: "/v/x" } }),
      said("P1", { protocolMessage: { type: 5 } }),
      said("P2", { senderKeyDistributionMessage: {} }),
      { ...said("P3", {}, { remoteJid: "status@broadcast" }), message: null },
      said("G1", { conversation: "good" }),
    );
    await world.host.recorded(1);
    assert.deepEqual(unreadable, ["undecrypted", "message", "message", "imageMessage"]);
  });

  it("leaves out what is old, unreadable, of the protocol or of a status, and takes files", async () => {
    await using world = await openWebWorld({ catchUpMs: 60_000 });
    const file = { mediaKey: new Uint8Array(32).fill(7), directPath: "/v/t62.7117-24/1_n.enc?ccb=11-4&oh=a_b&oe=1" };
    world.receive(
      { ...said("O1", { conversation: "old" }), messageTimestamp: now() - 120 },
      { ...said("O2", {}), message: null },
      said("O3", { protocolMessage: { type: 5 } }),
      said("O4", { conversation: "x" }, { remoteJid: "status@broadcast" }),
      said("O5", { conversation: "x" }, { id: "" }),
      said("V1", { audioMessage: { ...file, mimetype: "audio/ogg; codecs=opus", ptt: true } }),
    );
    const [event] = await world.host.recorded(1);
    assert.ok(event?.type === "message.created");
    const [attachment] = event.message.attachments;
    assert.deepEqual([attachment?.kind, attachment?.voice, attachment?.mimeType], ["audio", true, "audio/ogg"]);
    assert.ok((attachment?.ref.length ?? 999) <= 512);
    const strange = brandAs<MediaRef>(`audio ${"A".repeat(43)} //evil.example/x`);
    assert.equal((await failureOf(world.adapter.openMedia?.(strange, signal) ?? Promise.resolve())).code, "not_found");
  });

  it("takes an edit and a deletion only from who wrote the message", async () => {
    await using world = await openWebWorld();
    const from = (participant: string) => ({ remoteJid: groupJid, participant });
    const change = (type: number) => ({
      protocolMessage: { type, key: { id: "A1" }, editedMessage: { conversation: "changed" } },
    });
    const mallory = "4915550000666@s.whatsapp.net";
    world.receive(said("A1", { conversation: "mine" }, from(adaJid)));
    world.receive(said("B1", change(14), from(mallory)), said("B2", change(0), from(mallory)));
    world.receive(said("C1", change(14), from(adaJid)), said("C2", change(0), from(adaJid)));
    const events = await world.host.recorded(3);
    assert.deepEqual(
      events.map(({ type, sender }) => [type, sender.userId]),
      [
        ["message.created", ada],
        ["message.edited", ada],
        ["message.deleted", ada],
      ],
    );
  });

  it("hands over in order, and again what the host rejects: WhatsApp does not send it twice", async () => {
    await using world = await openWebWorld();
    world.host.refuse(3);
    world.receive(...["one", "two", "three"].map((text, n) => said(`A${n}`, { conversation: text })));
    const events = await world.host.recorded(3);
    assert.deepEqual(
      events.map((event) => event.type === "message.created" && event.message.markdown),
      ["one", "two", "three"],
    );
    assert.equal(world.host.offered.length, 6);
  });
});

describe("what goes out on a linked device", () => {
  it("sends text and quotes what it knows, and marks, types and reacts", async () => {
    await using world = await openWebWorld();
    const { adapter, socket } = world;
    world.receive(said("A1", { conversation: "hello" }));
    await world.host.recorded(1);
    const sent = await adapter.send(message(ada, "**hi**", { replyTo: brandAs("A1") }), signal);
    assert.equal(socket().sent[0]?.jid, adaJid);
    assert.deepEqual(socket().sent[0]?.content, { text: "*hi*", linkPreview: null });
    const quoted = (socket().sent[0]?.options as { quoted?: { key: object } } | undefined)?.quoted;
    assert.deepEqual(quoted?.key, { remoteJid: adaJid, id: "A1", fromMe: false });
    assert.match(sent.messageId, /^3EB0[0-9A-F]{18}$/);
    await adapter.setTyping?.(conversation(ada), signal);
    assert.deepEqual([socket().read, socket().presences], [["A1"], [`composing ${adaJid}`]]);
    await adapter.react?.({ conversation: conversation(ada), messageId: brandAs("A1") }, "👀", signal);
    assert.deepEqual(socket().sent[1]?.content, { react: { text: "👀", key: quoted?.key } });
    const unknown = { conversation: group, messageId: brandAs<OutboundMessage["replyTo"] & string>("gone") };
    assert.equal((await failureOf(adapter.react?.(unknown, "👀", signal) ?? Promise.resolve())).code, "not_found");
  });

  it("sends files as what they are", async () => {
    const ref = brandAs<MediaRef>("f");
    await using world = await openWebWorld({ files: { f: Buffer.from("x") } });
    const kinds = ["image/png", "video/mp4", "audio/ogg", "text/csv"];
    for (const mimeType of kinds)
      await world.adapter.send(message(ada, "", { attachments: [{ mimeType, name: "n.bin", ref }] }), signal);
    assert.deepEqual(
      world.socket().sent.map(({ content }) => Object.keys(content)[0]),
      ["image", "video", "audio", "document"],
    );
  });

  it("waits for the server's word, and repeats under the same id", async () => {
    await using world = await openWebWorld();
    const { adapter, socket, host } = world;
    const outbound = message(ada, "is it there?", { deliveryKey: brandAs<DeliveryKey>("turn-1/0") });
    socket().answer = "refuse";
    const refused = await failureOf(adapter.send(outbound, signal));
    assert.deepEqual([refused.code, refused.effect], ["forbidden", "none"]);
    socket().answer = "nothing";
    const lost = failureOf(adapter.send(outbound, signal));
    await host.until(() => socket().sent.length === 2, "it is written");
    socket().close(428);
    assert.deepEqual([(await lost).code, (await lost).effect], ["unavailable", "unknown"]);
    await host.until(() => world.sockets.length === 2, "a new connection");
    const closed = await failureOf(adapter.send(outbound, signal));
    assert.deepEqual([closed.code, closed.effect], ["unavailable", "none"]);
    socket().say("connection.update", { connection: "open" });
    const { messageId } = await adapter.send(outbound, signal);
    const ids = world.sockets.flatMap(({ sent }) =>
      sent.map(({ options }) => (options as { messageId: string }).messageId),
    );
    assert.deepEqual(ids, [messageId, messageId, messageId]);
  });

  it("stops a send that waits, and is silent after it stopped", async () => {
    await using world = await openWebWorld();
    const { adapter, socket, host } = world;
    socket().answer = "nothing";
    const stopping = new AbortController();
    const waiting = failureOf(adapter.send(message(ada, "wait"), stopping.signal));
    await host.until(() => socket().sent.length === 1, "it is written");
    stopping.abort();
    const error = await waiting;
    assert.deepEqual([error.code, error.effect], ["aborted", "unknown"]);
    await adapter.stop();
    await adapter.stop();
    assert.deepEqual(host.states.at(-1), { status: "stopped" });
    world.receive(said("late", { conversation: "late" }));
    await host.calm();
    assert.deepEqual(host.offered, []);
    assert.ok(socket().isEnded);
  });
});
