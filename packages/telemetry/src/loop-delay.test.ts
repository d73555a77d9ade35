import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { watchLoop } from "./loop-delay.ts";

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

it("keeps what it saw in a busy time until it is read, and takes no rest for a delay", async (context) => {
  const loop = watchLoop(300);
  context.after(loop.close);
  await sleep(50);
  block(150);
  await sleep(900);
  assert.ok(loop.read().longest > 0.1);
  block(150);
  await sleep(50);
  assert.equal(loop.read().longest, 0, "nothing is measured at rest");
  await sleep(400);
  loop.stir();
  await sleep(100);
  const { longest } = loop.read();
  assert.ok(longest < 0.3, `${longest} s`);
  await sleep(50);
  block(150);
  await sleep(50);
  assert.ok(loop.read().longest > 0.1, "it measures again");
});
