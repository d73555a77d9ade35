import assert from "node:assert/strict";
import { it } from "node:test";
import { databaseError } from "./database-error.ts";

it("a server without room on its disk is not said to be away", () => {
  const full = Object.assign(new Error("could not extend file"), { code: "53100" });
  const { message, code } = databaseError(full);
  assert.deepEqual([message, code], ["the disk of the database is full", "unavailable"]);
});
