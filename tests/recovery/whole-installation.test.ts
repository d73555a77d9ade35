import assert from "node:assert/strict";
import { readdir, readFile, readlink } from "node:fs/promises";
import { it } from "node:test";
import { hold, say } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { startWorld } from "../support/world.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
/** Nothing that is held runs out by itself while the test lasts. */
const leases = "leases: { sessionMs: 600000, accountMs: 600000 }";

it("turns that ran when everything was killed go on at the next start, without waiting for leases", {
  skip,
}, async () => {
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
  await talaria.begin();
  await chat.waitForBotMessage("Here I am again.");
  assert.equal(model.requests.length, 2);
  forever.resolve();
});

/** The supervisor with its descendants, and the database, whose folder lies in the home. */
async function processesOf(supervisor: number, home: string): Promise<readonly number[]> {
  const all = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = new Map(await Promise.all(all.map(async (pid) => [pid, await parentOf(pid)] as const)));
  const found = new Set([supervisor]);
  for (let size = 0; size < found.size; ) {
    size = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  for (const pid of all) if ((await readlink(`/proc/${pid}/cwd`).catch(() => "")).startsWith(home)) found.add(pid);
  return [...found];
}

async function parentOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
}
