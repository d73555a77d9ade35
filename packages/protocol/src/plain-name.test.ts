import assert from "node:assert/strict";
import { it } from "node:test";
import { plainName } from "./plain-name.ts";

it("is the same name however it is typed", () => {
  for (const typed of ["Zoë Müller", "zoe muller", " ZOE\u0308 MU\u0308LLER ", "Ｚoë Müller"])
    assert.equal(plainName(typed), "zoe muller", typed);
  assert.equal(plainName("Олга"), "олга");
  assert.notEqual(plainName("がく"), plainName("かく"));
});
