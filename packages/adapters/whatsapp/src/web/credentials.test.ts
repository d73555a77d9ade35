import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { memoryStore } from "@talaria/testkit";
import { BufferJSON } from "@whiskeysockets/baileys";
import { Credentials } from "./credentials.ts";

const codec = {
  write: (value: unknown) => JSON.stringify(value, BufferJSON.replacer),
  read: (text: string) => JSON.parse(text, BufferJSON.reviver),
};

describe("the credentials of a linked device", () => {
  it("come back after a restart with their bytes, and keys that were taken away do not", async () => {
    const store = memoryStore();
    const first = new Credentials(store, codec);
    await first.writeCreds({ noiseKey: Buffer.from("secret") });
    const many = Array.from({ length: 812 }, (_, n) => [String(n + 1), { private: Buffer.from([n % 251]) }]);
    await first.set({
      "pre-key": Object.fromEntries(many),
      session: { "4915.0": Buffer.from("s"), "4915.1": Buffer.from("t") },
    });
    await first.set({ session: { "4915.0": null } });
    const second = new Credentials(store, codec);
    assert.deepEqual(await second.readCreds(), { noiseKey: Buffer.from("secret") });
    assert.deepEqual(await second.get("pre-key", ["1", "812", "813"]), {
      "1": { private: Buffer.from([0]) },
      "812": { private: Buffer.from([811 % 251]) },
    });
    assert.deepEqual(await second.get("session", ["4915.0", "4915.1"]), { "4915.1": Buffer.from("t") });
    assert.ok(store.values.size < 30, `${store.values.size} entries`);
    await second.clear();
    assert.equal(store.values.size, 0);
  });

  it("are written in the order of the changes, and flushed only then", async () => {
    const store = memoryStore();
    const written: string[] = [];
    const gate = Promise.withResolvers<void>();
    const slow = {
      ...store,
      write: async (name: string, value: string) => {
        await gate.promise;
        written.push(value);
        await store.write(name, value);
      },
    };
    const credentials = new Credentials(slow, codec);
    const creds = { step: 1 };
    void credentials.writeCreds(creds);
    creds.step = 2;
    void credentials.writeCreds(creds);
    let isFlushed = false;
    const flushing = credentials.flushed().then(() => {
      isFlushed = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isFlushed, false);
    gate.resolve();
    await flushing;
    assert.deepEqual(written, ['{"step":1}', '{"step":2}']);
  });

  it("do not count as flushed when one could not be written", async () => {
    const store = { ...memoryStore(), write: () => Promise.reject(new Error("disk full")) };
    const credentials = new Credentials(store, codec);
    await credentials.writeCreds({}).catch(() => undefined);
    await assert.rejects(credentials.flushed(), { code: "unavailable" });
  });
});
