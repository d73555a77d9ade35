import assert from "node:assert/strict";
import { it } from "node:test";
import { hold, say } from "@talaria/testkit";
import type { Installation } from "../support/installation.ts";
import { processesOf } from "../support/processes-of.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/** More than the starts whose ids are handed on. */
const deadStarts = 6;
/** Nothing that is held runs out by itself while the test lasts. */
const leases = "leases: { sessionMs: 600000, accountMs: 600000 }";

it("turns that ran when everything was killed go on at the next start that lives, without waiting for leases", {
  skip,
}, async (t) => {
  await using world = await startWorld({
    database: "embedded",
    config: (telegram) => `
${leases}
accounts:
  bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }
`,
  });
  const { telegram, model, plan, talaria } = world;
  const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
  const forever = Promise.withResolvers<void>();
  plan.answer("what now?", [...hold(forever.promise), ...say("never said")], say("Here I am again."));
  chat.say(chat.person, "what now?");
  await waitFor(() => model.requests.length === 1, "the turn to run");
  const before = await processesOf(talaria.pid, talaria.home);
  assert.ok(before.length >= 5, `supervisor, gateway, worker and database: ${before.length}`);
  for (const pid of before) killIfAlive(pid);
  await talaria.stop();
  for (let start = 0; start < deadStarts; start += 1) await dieInStart(talaria);
  await talaria.begin();
  const readyAt = performance.now();
  await waitFor(() => model.requests.length === 2, "the turn to go on");
  t.diagnostic(`the model was asked again within ${Math.round(performance.now() - readyAt)} ms of ready`);
  await chat.waitForBotMessage("Here I am again.");
  assert.equal(model.requests.length, 2);
  forever.resolve();
});

/** Everything is killed before a start could free what its predecessor held. */
async function dieInStart(talaria: Installation): Promise<void> {
  const begun = talaria.begin().catch(() => "died");
  await waitFor(() => talaria.output.includes("starting the database"), "the start to begin");
  for (const pid of await processesOf(talaria.pid, talaria.home)) killIfAlive(pid);
  await talaria.stop();
  assert.equal(await begun, "died");
}
