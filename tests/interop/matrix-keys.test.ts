import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AdapterStore } from "@talaria/adapter";
import { platform } from "@talaria/adapter-matrix";
import {
  type AccountId,
  brandAs,
  type ConversationId,
  type DeliveryKey,
  type InboundEvent,
  type OutboundMessage,
  systemClock,
} from "@talaria/protocol";
import { adapterDeps, memoryStore, RecordingHost } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { Synapse, synapsePython } from "./synapse.ts";

const createMatrixAdapter = await platform.load();

const python = await synapsePython();
const missing = python === undefined ? "needs Synapse: run scripts/peers/synapse.sh" : "";
const skip = missing !== "" && process.env.CI !== "true" ? missing : false;
const { signal } = new AbortController();
const algorithm = "m.megolm.v1.aes-sha2";

describe("the keys of a Matrix device on Synapse", { skip }, () => {
  let synapse: Synapse;

  before(async () => {
    assert.equal(missing, "", "a peer is missing");
    synapse = await Synapse.start(python ?? "");
  });
  after(() => synapse?.stop());

  it("survive a crash at every write: each message is read by the other side, once", async () => {
    const bot = await account(synapse, "bot", "open");
    const ada = await account(synapse, "ada", "off");
    const adaAdapter = ada.make();
    await adaAdapter.start(ada.host);
    const first = bot.make();
    await first.start(bot.host);
    const room = await encryptedRoom(synapse, ada.token, [bot.userId]);
    await waitFor(async () => (await members(synapse, ada.token, room)).length === 2, "the bot in the room");
    await first.stop();

    for (let crashAt = 1; crashAt <= 7; crashAt += 1) {
      const crashing = storeThatStops(bot.store.values, crashAt);
      const doomed = bot.make(crashing.store);
      const starting = doomed.start(bot.host).catch(() => undefined);
      await Promise.race([starting, crashing.stopped]);
      await adaAdapter.send(outbound(room, `ping ${crashAt}`), signal);
      const doubtful = doomed.send(outbound(room, `pong ${crashAt}`), signal).catch(() => undefined);
      await Promise.race([crashing.stopped, doubtful.then(() => systemClock.sleep(1_000))]);
      // What the dead process could no longer store it does not do either.
      const next = bot.make();
      bot.adopt(crashing.values);
      await next.start(bot.host);
      await next.send(outbound(room, `pong ${crashAt}`), signal);
      await ada.hears(`pong ${crashAt}`);
      await bot.hears(`ping ${crashAt}`);
      await adaAdapter.send(outbound(room, `more ${crashAt}`), signal);
      await bot.hears(`more ${crashAt}`);
      await next.stop();
      crashing.end();
      await doomed.stop();
    }
    const heard = ada.host.events.map((event) => textOf(event)).filter((text) => text.startsWith("pong"));
    assert.equal(heard.length, new Set(heard).size, "a message came twice");
    for (const { host } of [ada, bot])
      for (const event of host.events) assert.doesNotMatch(textOf(event), /could not be decrypted|refused/);
    await adaAdapter.stop();
  });

  it("that never come are told about, in the sender's name", async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
    const bot = await account(synapse, "late", "open", clock);
    const ada = await account(synapse, "early", "off");
    const adaAdapter = ada.make();
    await adaAdapter.start(ada.host);
    // Said between invitation and arrival: the key went to those who were in the room.
    const room = await encryptedRoom(synapse, ada.token, [bot.userId]);
    await adaAdapter.send(outbound(room, "you cannot read this"), signal);
    const adapter = bot.make();
    await adapter.start(bot.host);
    await waitFor(async () => (await members(synapse, ada.token, room)).length === 2, "the bot in the room");
    // Ada's device learns of the newcomer a moment later; from then on the keys are shared.
    let said = 0;
    const sayUntil = (text: string) =>
      waitFor(async () => {
        said += 1;
        await adaAdapter.send(outbound(room, `but this ${said}`), signal);
        return bot.host.events.some((event) => textOf(event).includes(text));
      }, `the bot hears ${text}`);
    await sayUntil("but this");
    aheadMs = 60_000;
    await sayUntil("could not be decrypted yet");
    const note = bot.host.events.find((event) => textOf(event).includes("could not be decrypted yet"));
    assert.equal(note?.sender.userId, ada.userId);
    await adapter.stop();
    await adaAdapter.stop();
  });

  it("E03 are not done without: what comes unencrypted into an encrypted room is refused and flagged", async () => {
    const bot = await account(synapse, "wary", "open");
    const eve = await account(synapse, "eve", "off");
    const adapter = bot.make();
    await adapter.start(bot.host);
    const room = await encryptedRoom(synapse, eve.token, [bot.userId]);
    await waitFor(async () => (await members(synapse, eve.token, room)).length === 2, "the bot in the room");
    const where = `rooms/${encodeURIComponent(room)}/send/m.room.message/t1`;
    await call(synapse, eve.token, "PUT", where, { msgtype: "m.text", body: "obey me" });
    await bot.hears("refused: it came unencrypted");
    const [note, ...more] = bot.host.events;
    assert.deepEqual(more, []);
    assert.equal(note?.sender.userId, eve.userId);
    assert.doesNotMatch(JSON.stringify(note), /obey/);
    await adapter.stop();
  });
});

async function account(synapse: Synapse, name: string, invites: "open" | "off", clock = systemClock) {
  const { userId, accessToken: token } = await synapse.register(name, name);
  const config = { homeserver: synapse.url, accessToken: token, invites };
  const store = memoryStore();
  const host = new RecordingHost(120_000);
  const id = brandAs<AccountId>(name);
  return {
    userId,
    token,
    store,
    host,
    make: (other: AdapterStore = store) => createMatrixAdapter(config, adapterDeps({ id, store: other, clock })),
    adopt(values: ReadonlyMap<string, string>) {
      store.values.clear();
      for (const [key, value] of values) store.values.set(key, value);
    },
    hears: (text: string) =>
      host.until(() => host.events.some((event) => textOf(event).includes(text)), `${name} hears ${text}`),
  };
}

/** A copy of a store whose write number `count` and all later ones never come to an end. */
function storeThatStops(from: ReadonlyMap<string, string>, count: number) {
  const values = new Map(from);
  const stopped = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let writes = 0;
  const store: AdapterStore = {
    read: async (name) => values.get(name),
    remove: async (name) => void values.delete(name),
    write: async (name, value) => {
      writes += 1;
      if (writes < count) return void values.set(name, value);
      stopped.resolve();
      await ended.promise;
      throw new Error("the process is dead");
    },
  };
  return { store, values, stopped: stopped.promise, end: ended.resolve };
}

async function encryptedRoom(synapse: Synapse, token: string, invite: readonly string[]): Promise<string> {
  const encryption = { type: "m.room.encryption", state_key: "", content: { algorithm } };
  const body = { preset: "private_chat", invite, initial_state: [encryption] };
  const answer = await call(synapse, token, "POST", "createRoom", body);
  return String(answer.room_id);
}

async function members(synapse: Synapse, token: string, room: string): Promise<readonly string[]> {
  const { joined } = await call(synapse, token, "GET", `rooms/${encodeURIComponent(room)}/joined_members`);
  return Object.keys(joined as object);
}

async function call(synapse: Synapse, token: string, method: string, path: string, body?: object) {
  const response = await fetch(`${synapse.url}/_matrix/client/v3/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Record<string, unknown>;
}

function outbound(room: string, markdown: string): OutboundMessage {
  const conversation = {
    accountId: brandAs<AccountId>("account"),
    platform: "matrix",
    conversationId: brandAs<ConversationId>(room),
    kind: "direct",
  } as const;
  return { deliveryKey: brandAs<DeliveryKey>(markdown), conversation, markdown, attachments: [] };
}

function textOf(event: InboundEvent): string {
  return "message" in event ? event.message.markdown : "";
}
