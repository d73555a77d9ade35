import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as library from "@matrix-org/matrix-sdk-crypto-wasm";
import { readEvent } from "../wire.ts";
import { decrypted } from "./decrypt.ts";

type Json = Record<string, never>;

const room = "!room:stub.test";

/** A homeserver's part in sharing keys between devices that speak to nobody else. */
class KeyDesk {
  readonly devices: Record<string, Record<string, Json>> = {};
  readonly oneTimeKeys = new Map<string, [id: string, key: unknown][]>();

  async carryOut(machine: library.OlmMachine, request: { id?: string; type: number; body: string }): Promise<void> {
    const body = JSON.parse(request.body);
    const answer = this.#answerTo(machine, request.type, body);
    if (request.id !== undefined) await machine.markRequestAsSent(request.id, request.type, JSON.stringify(answer));
  }

  #answerTo(machine: library.OlmMachine, type: number, body: Record<string, unknown>): object {
    const user = machine.userId.toString();
    const device = machine.deviceId.toString();
    if (type === library.RequestType.KeysUpload) {
      if (body.device_keys) this.devices[user] = { ...this.devices[user], [device]: body.device_keys as Json };
      const keys = Object.entries((body.one_time_keys ?? {}) as object);
      if (keys.length > 0) this.oneTimeKeys.set(`${user} ${device}`, keys);
      return { one_time_key_counts: { signed_curve25519: keys.length } };
    }
    if (type === library.RequestType.KeysQuery) return { device_keys: this.devices };
    if (type !== library.RequestType.KeysClaim) return {};
    const claimed = Object.entries(body.one_time_keys as Record<string, Record<string, string>>).map(([of, wanted]) => {
      const found = Object.keys(wanted).map((id) => {
        const [name = "", key] = this.oneTimeKeys.get(`${of} ${id}`)?.pop() ?? [];
        return [id, { [name]: key }];
      });
      return [of, Object.fromEntries(found)];
    });
    return { one_time_keys: Object.fromEntries(claimed) };
  }
}

async function device(user: string, name: string, desk: KeyDesk): Promise<library.OlmMachine> {
  const machine = await library.OlmMachine.initialize(new library.UserId(user), new library.DeviceId(name));
  for (const request of await machine.outgoingRequests()) await desk.carryOut(machine, request as never);
  return machine;
}

/** Ada's device, ours, and an event of hers that ours has the key for. */
async function makeWorld() {
  await library.initAsync();
  const desk = new KeyDesk();
  const ada = await device("@ada:stub.test", "ADA", desk);
  const bot = await device("@bot:stub.test", "BOT", desk);
  for (const [machine, peer] of [
    [ada, bot],
    [bot, ada],
  ] as const) {
    await machine.updateTrackedUsers([new library.UserId(peer.userId.toString())]);
    for (const request of await machine.outgoingRequests()) await desk.carryOut(machine, request as never);
  }
  const users = () => [new library.UserId(bot.userId.toString())];
  const claim = await ada.getMissingSessions(users());
  if (claim !== undefined) await desk.carryOut(ada, claim as never);
  const settings = new library.EncryptionSettings();
  for (const share of await ada.shareRoomKey(new library.RoomId(room), users(), settings)) {
    const { messages } = JSON.parse(share.body) as { messages: Record<string, Record<string, Json>> };
    const content = messages[bot.userId.toString()]?.BOT;
    const event = { type: share.event_type, sender: ada.userId.toString(), content };
    await bot.receiveSyncChanges(JSON.stringify([event]), new library.DeviceLists(), new Map(), new Set());
    await desk.carryOut(ada, share as never);
  }
  const say = async (body: string, change: object = {}) => {
    const plain = JSON.stringify({ msgtype: "m.text", body });
    const content = JSON.parse(await ada.encryptRoomEvent(new library.RoomId(room), "m.room.message", plain));
    const raw = {
      type: "m.room.encrypted",
      event_id: `$${body}`,
      sender: ada.userId.toString(),
      room_id: room,
      content,
    };
    return { ...raw, origin_server_ts: 1_790_000_000_000, unsigned: {}, ...change };
  };
  const read = async (raw: object, trust: "any" | "cross-signed" = "any") => {
    const event = readEvent(raw);
    assert.ok(event);
    return decrypted({ library, machine: bot, trust: trust as never }, room, event);
  };
  return { ada, bot, say, read };
}

describe("an encrypted event", () => {
  it("of a device whose key we have is read", async () => {
    const { say, read } = await makeWorld();
    const decryption = await read(await say("hello"));
    assert.ok(decryption.kind === "read", JSON.stringify(decryption));
    assert.equal(decryption.event.content.body, "hello");
  });

  it("E01 in the name of somebody who does not own the device is refused", async () => {
    const { say, read } = await makeWorld();
    const forged = await say("hello", { sender: "@owner:stub.test" });
    assert.deepEqual(await read(forged), { kind: "refused", reason: "sender_device_mismatch" });
  });

  it("E02 of a device that nobody vouches for is refused where that is asked for", async () => {
    const { say, read } = await makeWorld();
    assert.equal((await read(await say("hello"), "cross-signed")).kind, "refused");
  });

  it("that was changed on the way is refused", async () => {
    const { say, read } = await makeWorld();
    const { content, ...raw } = await say("hello");
    const changed = { ...content, ciphertext: `${content.ciphertext.slice(0, -8)}AAAAAAAA` };
    assert.equal((await read({ ...raw, content: changed })).kind, "refused");
  });

  it("E04 that comes again under another id is refused, and under its own is read", async () => {
    const { say, read } = await makeWorld();
    const event = await say("hello");
    assert.equal((await read(event)).kind, "read");
    assert.equal((await read(event)).kind, "read");
    assert.equal((await read({ ...event, event_id: "$other" })).kind, "refused");
    assert.equal((await read(await say("again"))).kind, "read");
  });
});
