import assert from "node:assert/strict";
import { it } from "node:test";
import { createSimulatedClock } from "@talaria/testkit";
import { partsOf } from "./parts.ts";
import { TestPlatform } from "./test-platform.ts";

async function split(markdown: string) {
  const adapter = new TestPlatform(createSimulatedClock());
  const row = { conversation: { kind: "direct" }, markdown, attachments: [] } as unknown as Parameters<
    typeof partsOf
  >[0];
  let pauses = 0;
  const parts = await partsOf(row, adapter, false, async () => {
    pauses += 1;
  });
  return { parts: parts.length, pauses };
}

it("makes a text of one message without a pause, and gives other work a turn between many", async () => {
  assert.deepEqual(await split("a short answer"), { parts: 1, pauses: 0 });
  const long = await split("a paragraph that goes on for a while\n\n".repeat(2_000));
  assert.ok(long.parts > 5 && long.pauses >= long.parts, JSON.stringify(long));
});
