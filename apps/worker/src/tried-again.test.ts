import assert from "node:assert/strict";
import { it } from "node:test";
import type { Clock } from "@talaria/protocol";
import { triedAgain } from "./tried-again.ts";

it("what failed is tried again ten minutes later, once, and what worked is kept", async () => {
  let now = 0;
  const clock: Clock = { now: () => now, elapsed: () => now, sleep: () => Promise.reject(new Error("nobody waits")) };
  const answers = [undefined, "there"];
  let attempts = 0;
  const tried = triedAgain(async () => answers[attempts++], clock);
  await tried.settled();
  assert.equal(attempts, 0);
  assert.deepEqual(await Promise.all([tried.answer(), tried.answer()]), [undefined, undefined]);
  now = 599_999;
  assert.equal(await tried.answer(), undefined);
  assert.equal(attempts, 1);
  now = 600_000;
  assert.deepEqual(await Promise.all([tried.answer(), tried.answer()]), ["there", "there"]);
  now = 9e9;
  assert.equal(await tried.answer(), "there");
  assert.equal(attempts, 2);
});
