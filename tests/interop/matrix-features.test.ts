import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { Adapter } from "@talaria/adapter";
import { platform } from "@talaria/adapter-matrix";
import {
  type AccountId,
  brandAs,
  type Conversation,
  type DeliveryKey,
  type InboundEvent,
  type MediaRef,
  type OutboundMessage,
  systemClock,
} from "@talaria/protocol";
import { adapterDeps, memoryStore, RecordingHost } from "@talaria/testkit";
import { encodeRecoveryKey } from "matrix-js-sdk/lib/crypto-api/recovery-key.js";
import { MatrixPeer } from "./matrix-peer.ts";
import { openSealed, sealFile } from "./sealed-file.ts";
import { Synapse, type SynapseUser, synapsePython } from "./synapse.ts";

const createMatrixAdapter = await platform.load();

const python = await synapsePython();
const missing = python === undefined ? "needs Synapse: run scripts/peers/synapse.sh" : "";
const skip = missing !== "" && process.env.CI !== "true" ? missing : false;
const { signal } = new AbortController();
const picture = randomBytes(70_000);

describe("the Matrix adapter in an encrypted room on Synapse", { skip }, () => {
  let synapse: Synapse;
  let bot: SynapseUser;
  let ada: MatrixPeer;
  let adapter: Adapter;
  let host: RecordingHost;
  let room: string;
  const store = memoryStore();

  before(async () => {
    assert.equal(missing, "", "a peer is missing");
    synapse = await Synapse.start(python ?? "");
    bot = await synapse.register("talaria", "Talaria");
    ada = await MatrixPeer.start(synapse.url, await synapse.register("ada", "Ada"));
    adapter = makeAdapter();
    host = new RecordingHost(120_000);
    await adapter.start(host);
    room = await ada.encryptedRoom(bot.userId);
    await ada.joined(room, bot.userId);
  });
  after(async () => {
    await adapter?.stop();
    await ada?.stop();
    await synapse?.stop();
  });

  function makeAdapter(): Adapter {
    const config = { homeserver: synapse.url, accessToken: bot.accessToken, invites: "open" };
    return createMatrixAdapter(config, adapterDeps({ store, files: { picture }, clock: systemClock }));
  }

  async function heard(test: (event: InboundEvent) => boolean, what: string): Promise<InboundEvent> {
    await host.until(() => host.events.some(test), what);
    return host.events.find(test) as InboundEvent;
  }

  const says = (text: string) => (event: InboundEvent) => "message" in event && event.message.markdown === text;

  it("hears speech, threads, edits, reactions and redactions", async () => {
    const id = await ada.say(room, "first");
    const created = await heard(says("first"), "the message");
    assert.equal(created.conversation.kind, "direct");
    assert.deepEqual(created.sender, {
      userId: ada.user.userId,
      role: "person",
      displayName: "Ada",
      assurance: "platform",
    });

    const inThread = { "m.relates_to": { rel_type: "m.thread", event_id: id, is_falling_back: true } };
    await ada.say(room, "in a thread", inThread);
    assert.equal((await heard(says("in a thread"), "the thread")).conversation.threadId, id);

    const changed = { msgtype: "m.text", body: "second" };
    await ada.say(room, "* second", {
      "m.new_content": changed,
      "m.relates_to": { rel_type: "m.replace", event_id: id },
    });
    const edited = await heard(says("second"), "the edit");
    assert.equal(edited.type === "message.edited" && edited.message.messageId, id);

    const relation = { "m.relates_to": { rel_type: "m.annotation", event_id: id, key: "👍" } };
    const { event_id } = await ada.client.sendEvent(room, "m.reaction" as never, relation as never);
    await heard((event) => event.type === "reaction.added" && event.emoji === "👍", "the reaction");
    await ada.client.redactEvent(room, event_id);
    await heard((event) => event.type === "reaction.removed" && event.emoji === "👍", "the reaction's end");
    await ada.client.redactEvent(room, id);
    await heard((event) => event.type === "message.deleted" && event.messageId === id, "the deletion");
  });

  it("speaks, answers in threads, edits, reacts, takes it back, and types", async () => {
    const question = await ada.say(room, "question");
    const { conversation } = await heard(says("question"), "the question");
    const sent = await adapter.send(outbound(conversation, "**bold** answer"), signal);
    const shown = await ada.seesText("**bold** answer");
    assert.equal(shown.isEncrypted, true);
    assert.equal(shown.content.formatted_body, "<p><strong>bold</strong> answer</p>");
    assert.equal((await adapter.send(outbound(conversation, "**bold** answer"), signal)).messageId, sent.messageId);

    await adapter.edit?.(sent, "changed", signal);
    const edit = await ada.sees(
      ({ sender, content }) => sender === bot.userId && "m.new_content" in content,
      "the edit",
    );
    assert.deepEqual(edit.content["m.relates_to"], { rel_type: "m.replace", event_id: sent.messageId });

    const thread = { ...conversation, threadId: brandAs<NonNullable<Conversation["threadId"]>>(question) };
    await adapter.send(outbound(thread, "in the thread"), signal);
    const answer = await ada.seesText("in the thread");
    assert.equal((answer.content["m.relates_to"] as { event_id?: string }).event_id, question);

    const target = { conversation, messageId: sent.messageId };
    await adapter.react?.(target, "👀", signal);
    await adapter.react?.(target, "👀", signal);
    const reaction = await ada.sees(
      ({ type, sender }) => type === "m.reaction" && sender === bot.userId,
      "the reaction",
    );
    await adapter.unreact?.(target, "👀", signal);
    await adapter.unreact?.(target, "👀", signal);
    const isGone = () => ada.client.getRoom(room)?.findEventById(reaction.id)?.isRedacted() === true;
    await host.until(isGone, "the reaction is gone");
    await adapter.setTyping?.(conversation, signal);
    await adapter.delete?.(target, signal);
  });

  it("offers choices as reactions, and takes a press, also after an edit and a restart", async () => {
    await ada.say(room, "which one?");
    const { conversation } = await heard(says("which one?"), "the question");
    const choices = [
      { id: "blue", label: "Blue" },
      { id: "red", label: "Red" },
    ];
    const sent = await adapter.send(outbound(conversation, "one moment"), signal);
    await adapter.edit?.(sent, "Choose.", signal, choices);
    for (const key of ["1️⃣", "2️⃣"]) {
      const isKey = (relation: unknown) => (relation as { key?: unknown } | undefined)?.key === key;
      await ada.sees(
        ({ type, sender, content }) => type === "m.reaction" && sender === bot.userId && isKey(content["m.relates_to"]),
        `the reaction ${key}`,
      );
    }
    const press = (key: string) => {
      const relation = { rel_type: "m.annotation", event_id: sent.messageId, key };
      return ada.client.sendEvent(room, "m.reaction" as never, { "m.relates_to": relation } as never);
    };
    const pressed = (id: string) => (event: InboundEvent) => event.type === "action.invoked" && event.actionId === id;
    await press("2️⃣");
    const event = await heard(pressed("red"), "the press");
    assert.equal(event.type === "action.invoked" && event.messageId, sent.messageId);
    await adapter.stop();
    adapter = makeAdapter();
    await press("1️⃣");
    await adapter.start(host);
    await heard(pressed("blue"), "the press while the adapter was away");
  });

  it("takes and gives files that the server cannot read", async () => {
    const sealed = await sealFile(picture);
    const uploaded = await ada.client.uploadContent(new Blob([sealed.ciphertext]), { includeFilename: false });
    await ada.say(room, "a.png", {
      msgtype: "m.image",
      filename: "a.png",
      info: { mimetype: "image/png", size: picture.length },
      file: { ...sealed.file, url: uploaded.content_uri },
    });
    const event = await heard((one) => "message" in one && one.message.attachments.length > 0, "the picture");
    const [attachment] = event.type === "message.created" ? event.message.attachments : [];
    assert.equal(attachment?.mimeType, "image/png");
    const stream = await adapter.openMedia?.(attachment.ref, signal);
    assert.ok(Buffer.from(await new Response(stream).bytes()).equals(picture));

    const out = { mimeType: "image/png", name: "b.png", ref: brandAs<MediaRef>("picture") };
    await adapter.send({ ...outbound(event.conversation, "look"), attachments: [out] }, signal);
    const { content } = await ada.sees((one) => one.content.filename === "b.png", "the file");
    assert.equal(content.body, "look");
    assert.equal(content.url, undefined);
    const file = content.file as Parameters<typeof openSealed>[1] & { url: string };
    const address = ada.client.mxcUrlToHttp(file.url, undefined, undefined, undefined, false, true, true) ?? "";
    const headers = { authorization: `Bearer ${ada.user.accessToken}` };
    const bytes = new Uint8Array(await (await fetch(address, { headers })).arrayBuffer());
    assert.ok(!Buffer.from(bytes).equals(picture));
    assert.ok((await openSealed(bytes, file)).equals(picture));
  });
});

describe("recovery of a Matrix account on Synapse", { skip }, () => {
  it("makes a device that the account vouches for, and later another one by the same key", async () => {
    assert.equal(missing, "", "a peer is missing");
    await using synapse = await Synapse.start(python ?? "");
    const bot = await synapse.register("talaria", "Talaria");
    const ada = await synapse.register("ada", "Ada");
    const recoveryKey = newRecoveryKey();
    const login = { homeserver: synapse.url, user: bot.userId, password: bot.password, invites: "open" };
    for (const device of ["first", "second"]) {
      const config = { ...login, recoveryKey };
      const adapter = createMatrixAdapter(config, adapterDeps({ store: memoryStore(), clock: systemClock }));
      await adapter.start(new RecordingHost(120_000));
      await adapter.stop();
      const { device_keys, self_signing_keys } = await keysOf(synapse, ada, bot.userId);
      const devices = Object.values(device_keys[bot.userId] ?? {});
      const [signer = "none"] = Object.keys(self_signing_keys[bot.userId]?.keys ?? {});
      assert.equal(devices.length, device === "first" ? 1 : 2);
      for (const { signatures } of devices)
        assert.ok(signer in (signatures[bot.userId] ?? {}), `${device} is not signed`);
    }
    const wrong = { ...login, recoveryKey: newRecoveryKey() };
    const adapter = createMatrixAdapter(wrong, adapterDeps({ store: memoryStore(), clock: systemClock }));
    const host = new RecordingHost(120_000);
    await assert.rejects(adapter.start(host), { code: "invalid_request" });
    assert.equal(host.states.at(-1)?.status, "needs-operator");
    await adapter.stop();
  });
});

interface PublishedKeys {
  readonly device_keys: Record<string, Record<string, { readonly signatures: Record<string, object> }>>;
  readonly self_signing_keys: Record<string, { readonly keys: object }>;
}

/** What the homeserver shows others; it checks each signature when it is uploaded. */
async function keysOf({ url }: Synapse, { accessToken }: SynapseUser, userId: string): Promise<PublishedKeys> {
  const response = await fetch(`${url}/_matrix/client/v3/keys/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json" },
    body: JSON.stringify({ device_keys: { [userId]: [] } }),
  });
  return (await response.json()) as PublishedKeys;
}

function newRecoveryKey(): string {
  return encodeRecoveryKey(randomBytes(32)) ?? "";
}

let deliveries = 0;

function outbound(conversation: Conversation, markdown: string): OutboundMessage {
  deliveries += markdown === "**bold** answer" ? 0 : 1;
  const deliveryKey = brandAs<DeliveryKey>(`reply:${deliveries}#0`);
  return {
    deliveryKey,
    conversation: { ...conversation, accountId: brandAs<AccountId>("account") },
    markdown,
    attachments: [],
  };
}
