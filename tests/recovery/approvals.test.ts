import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { callTools, say } from "@talaria/testkit";
import { processesOf } from "../support/processes-of.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";
import { effectsOf, writeTools } from "./support/acting-tools.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const names = ["one", "two", "three", "four", "five"];

it("six approvals outlive a kill of everything and a changed configuration, and presses at once run each call once", {
  skip,
}, async () => {
  await using world = await startWorld({
    config: (telegram) => `
policy: { rules: [{ ask: somebody has to know, tool: write }] }
owners: ["telegram:user:7001", "telegram:user:7002"]
agent: { toolTokens: 1000000 }
sandbox: { backend: local, unsafe: true }
leases: { sessionMs: 6000, accountMs: 6000 }
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, plan, model, talaria } = world;
  await talaria.stop();
  await writeTools(talaria.home);
  await talaria.begin();
  const [ada, bob] = [telegram.user({ first_name: "Ada", id: 7_001 }), telegram.user({ first_name: "Bob", id: 7_002 })];
  const [five, one] = [telegram.privateChat(ada), telegram.privateChat(bob)];
  const callOf = (name: string) => ["write", { name, waits: false }] as const;
  plan.answer("do the five", callTools(...names.map(callOf)), say("All five."));
  plan.answer("do the sixth", callTools(callOf("six")), say("The sixth."));
  five.say(ada, "do the five");
  one.say(bob, "do the sixth");
  const list = await five.waitForBotMessage(/May I do these 5 things\?/);
  const single = await one.waitForBotMessage(/May I /);
  assert.deepEqual(
    list.buttons.map((row) => row.map(({ text }) => text)),
    [...names.map((_, n) => [`Approve ${n + 1}`, `Deny ${n + 1}`]), ["Approve all", "Deny all"]],
  );

  for (const pid of await processesOf(talaria.pid, talaria.home)) killIfAlive(pid);
  await talaria.stop();
  const file = join(talaria.home, "config.yaml");
  const before = await readFile(file, "utf8");
  const changed = before
    .replace("somebody has to know, tool: write", "ask somebody first, tool: write")
    .replace("toolTokens: 1000000", "toolTokens: 1000000, name: Iris");
  assert.notEqual(changed, before);
  await writeFile(file, changed);
  await talaria.begin();

  const presses = [...names, ...names].map((_, n) => `Approve ${(n % names.length) + 1}`);
  presses.splice(3, 0, "Approve all");
  for (const label of presses) five.press(ada, list.id, label);
  one.press(bob, single.id, "Approve");
  one.press(bob, single.id, "Deny");
  await five.waitForBotMessage("All five.");
  await one.waitForBotMessage("The sixth.");
  const keyOf = (chat: typeof five) => `bot/${chat.id}`;
  const workspaces = join(talaria.home, "workspaces");
  assert.deepEqual(await effectsOf(workspaces, keyOf(five)), new Map(names.map((name) => [name, 1])));
  assert.deepEqual(await effectsOf(workspaces, keyOf(one)), new Map([["six", 1]]));
  assert.equal(model.requests.length, 4, "nobody was asked again, and no step was made twice");
  assert.equal(five.botMessages().filter(({ text }) => text.includes("May I do")).length, 1);
  const ended = () => five.message(list.id);
  await waitFor(() => ended()?.buttons.length === 0, "the list to be closed");
  for (const [n] of names.entries()) assert.match(ended()?.text ?? "", new RegExp(`${n + 1}\\. ✓ Approved by Ada`));
});
