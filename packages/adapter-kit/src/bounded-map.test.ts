import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { BoundedMap } from "./bounded-map.ts";

describe("BoundedMap", () => {
  it("forgets what was set longest ago", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).set("a", 3).set("c", 4);
    assert.deepEqual(
      [...map],
      [
        ["a", 3],
        ["c", 4],
      ],
    );
  });

  it("has room again after a deletion", () => {
    const map = new BoundedMap<string, number>(2);
    map.set("a", 1).set("b", 2).delete("b");
    map.set("c", 3);
    assert.deepEqual([...map.keys()], ["a", "c"]);
  });
});
