import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Log, silentLog } from "@talaria/protocol";
import { adapterDeps } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

const method = "assistant.threads.setSuggestedPrompts";

/** A world whose warnings are kept. */
async function openNoted() {
  const warnings: string[] = [];
  const warn = (_: object, text: string) => void warnings.push(text);
  const log: Log = { ...silentLog, warn, child: () => log };
  return { warnings, world: await openWorld({ deps: { log } }) };
}

describe("an assistant thread on Slack", () => {
  it("offers prompts as soon as it is opened, and records nothing", async () => {
    await using world = await openWorld();
    const thread = world.direct.openAssistant(world.ada);
    await world.host.until(() => world.direct.prompts(thread) !== undefined, "prompts are shown");
    const { promptsTitle: title, prompts } = adapterDeps().wordsIn();
    assert.deepEqual(world.direct.prompts(thread), { title, prompts });
    await world.host.until(() => world.server.deliveries.sent.every((one) => one.isAcknowledged), "acknowledged");
    assert.deepEqual(world.host.events, []);
  });

  it("does not mind that the app lacks the scope: it is said once, and not asked again", async () => {
    const { world, warnings } = await openNoted();
    await using _ = world;
    world.server.fail(method, { kind: "answer", code: 200, description: "missing_scope", effect: "none" }, 9);
    for (let n = 0; n < 3; n += 1) {
      world.direct.openAssistant(world.ada);
      world.direct.say(world.ada, `message ${n}`);
      await world.host.recorded(n + 1);
      await world.host.until(() => warnings.length > 0, "it is said");
    }
    await world.host.until(() => world.server.deliveries.sent.every((one) => one.isAcknowledged), "acknowledged");
    assert.equal(world.server.calls.of(method).length, 1);
    assert.deepEqual(warnings, ["slack refuses suggested prompts: give the app the scope assistant:write"]);
  });

  it("is acknowledged and takes messages while Slack is slow to take the prompts", async () => {
    await using world = await openWorld();
    world.server.fail(method, { kind: "hang", effect: "none" });
    const thread = world.direct.openAssistant(world.ada);
    world.direct.say(world.ada, "hello", { thread });
    await world.host.recorded(1);
    await world.host.until(() => world.server.deliveries.sent.every((one) => one.isAcknowledged), "acknowledged");
    assert.equal(world.direct.prompts(thread), undefined);
  });

  it("tries again with the next thread after any other error", async () => {
    const { world, warnings } = await openNoted();
    await using _ = world;
    world.server.fail(method, { kind: "answer", code: 429, effect: "none" });
    world.direct.openAssistant(world.ada);
    await world.host.until(() => world.server.calls.of(method).length === 1, "Slack is asked");
    const second = world.direct.openAssistant(world.ada);
    await world.host.until(() => world.direct.prompts(second) !== undefined, "the second shows prompts");
    assert.deepEqual(warnings, []);
  });
});
