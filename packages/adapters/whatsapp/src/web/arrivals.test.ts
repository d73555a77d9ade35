import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { type Clock, systemClock } from "@talaria/protocol";
import { adapterDeps, hurriedClock, RecordingHost } from "@talaria/testkit";
import { whatsappConfigSchema } from "../config.ts";
import { accountId } from "../testing/cloud-world.ts";
import { handSockets } from "../testing/hand-socket.ts";
import { createWebAdapter } from "./adapter.ts";
import type { WebMessage } from "./socket.ts";

/** Nobody's patience ends by itself. */
const patient: Clock = { ...systemClock, sleep: (_, signal) => pause(2 ** 31 - 1, undefined, { signal, ref: false }) };

async function openWorld(clock: Clock) {
  const { sockets, openSocket } = handSockets();
  const config = whatsappConfigSchema.parse({ mode: "web" });
  assert.equal(config.mode, "web");
  const adapter = createWebAdapter(config, adapterDeps({ id: accountId, clock }), openSocket);
  const host = new RecordingHost(30_000);
  const starting = adapter.start(host).catch(() => undefined);
  await host.until(() => sockets.length === 1, "a connection is opened");
  const socket = sockets[0] ?? assert.fail("there is no connection");
  socket.say("connection.update", { connection: "open" });
  await starting;
  return {
    frames: (...ids: string[]) => {
      for (const id of ids) socket.say("CB:message", { attrs: { id } });
    },
    /** What the library found in frames, in the order in which it was ready. */
    come: (...ids: string[]) => {
      for (const id of ids) socket.say("messages.upsert", { messages: [said(id)], type: "notify" });
    },
    offline: (id: string) => socket.say("CB:message", { attrs: { id, offline: "1" } }),
    words: async (count: number) =>
      (await host.recorded(count)).map((event) => event.type === "message.created" && event.message.markdown).join(""),
    [Symbol.asyncDispose]: () => adapter.stop(),
  };
}

function said(id: string): WebMessage {
  const participant = `49155500000${id.charCodeAt(0)}@s.whatsapp.net`;
  const key = { remoteJid: "120363000000000001@g.us", participant, id, fromMe: false };
  return { key, message: { conversation: id }, messageTimestamp: Math.floor(Date.now() / 1_000), pushName: id };
}

describe("messages of different people on a linked device", () => {
  it("stay in the order of their frames, however the library overtakes", async () => {
    await using world = await openWorld(patient);
    world.frames("A", "B", "C", "D");
    world.come("C", "B", "D", "A");
    assert.equal(await world.words(4), "ABCD");
  });

  it("wait for no frame that brings no message, longer than its time", async () => {
    await using world = await openWorld(hurriedClock);
    world.frames("A", "B");
    world.come("B");
    assert.equal(await world.words(1), "B");
    world.come("A");
    assert.equal(await world.words(2), "BA");
  });

  it("wait for none of what was said while the device was away", async () => {
    await using world = await openWorld(patient);
    world.offline("A");
    world.frames("B");
    world.come("B", "A", "C");
    assert.equal(await world.words(3), "BAC");
  });

  it("are all there when two have the same id, and when far more frames come than are kept", async () => {
    await using world = await openWorld(patient);
    const many = Array.from({ length: 1_500 }, (_, n) => `F${n}`);
    world.frames("A", "A", ...many, "B");
    world.come("A", ...many, "B");
    assert.match(await world.words(1_502), /^AF0F1F2.*F1499B$/);
  });

  it("keep nobody from stopping", async () => {
    const world = await openWorld(patient);
    world.frames("A", "B");
    world.come("B");
    await world[Symbol.asyncDispose]();
    assert.equal(await world.words(0), "");
  });
});
