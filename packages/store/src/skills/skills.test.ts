import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createTestStore, type TestStore } from "../test-store.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");

describe("skills that owners have accepted", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("are known by their digest, however often they are accepted, until their name is forgotten", async () => {
    const { skills } = test.store;
    const [first, second, other] = [digestOf("first"), digestOf("second"), digestOf("other")];
    assert.deepEqual(await skills.accepted([first]), new Set());
    for (const digest of [first, second, first]) await skills.accept({ name: "tidy", digest });
    assert.deepEqual(await skills.accepted([first, second, other]), new Set([first, second]));
    assert.deepEqual(
      (await skills.list()).map(({ name, digest }) => [name, digest]),
      [
        ["tidy", first],
        ["tidy", second],
      ],
    );
    assert.deepEqual([await skills.forget("tidy"), await skills.forget("tidy")], [true, false]);
    assert.deepEqual(await skills.accepted([first, second]), new Set());
    assert.deepEqual(await skills.accepted([]), new Set());
  });

  it("keep the newest twenty of a name, and none of another one goes for it", async () => {
    const { skills } = test.store;
    await skills.accept({ name: "other", digest: digestOf("of another") });
    const digests = Array.from({ length: 22 }, (_, index) => digestOf(`version ${index}`));
    for (const digest of digests) await skills.accept({ name: "long-kept", digest });
    assert.deepEqual(await skills.accepted(digests), new Set(digests.slice(2)));
    assert.equal((await skills.accepted([digestOf("of another")])).size, 1);
  });

  it("are seen by every other process", async () => {
    const digest = digestOf("shared");
    await test.store.skills.accept({ name: "shared", digest });
    assert.deepEqual(await test.open().skills.accepted([digest]), new Set([digest]));
  });
});
