import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { list, odd } from "./lenient.ts";

const schema = z.object({ name: odd(z.string()), tags: list(z.string(), 3) });

describe("what a platform sends", () => {
  it("lacks an optional field that is null, absent or odd", () => {
    for (const name of [null, undefined, 5, { text: "a" }])
      assert.deepEqual(schema.parse({ name, tags: [] }).name, undefined, JSON.stringify(name));
    assert.equal(schema.parse({ name: "ada", tags: [] }).name, "ada");
  });

  it("has the readable entries of a list, up to a limit", () => {
    assert.deepEqual(schema.parse({ tags: ["a", 5, null, "b", "c"] }).tags, ["a"]);
    assert.deepEqual(schema.parse({ tags: ["a", "b", "c", "d"] }).tags, ["a", "b", "c"]);
    for (const tags of [null, undefined, "a", {}]) assert.deepEqual(schema.parse({ tags }).tags, []);
  });
});
