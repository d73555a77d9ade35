import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { hold, say } from "@talaria/testkit";
import { Client } from "pg";
import { startWorld, type World } from "../support/world.ts";
import { patienceMs } from "./support/journey.ts";

const first = "the first half of the answer, which people see already, ";
const whole = `${first}and the second half`;

/** A person is being answered by one of so many workers: half of the answer stands there, and the rest does not come. */
async function inMidAnswer(workers: number) {
  const world = await startWorld({
    config: ({ token, apiRoot }) => `
workers: { processes: ${workers} }
accounts:
  main: { platform: telegram, token: "${token}", apiRoot: "${apiRoot}", access: { direct: open }, busy: { direct: queue }, updateIntervalsMs: { draft: 100 } }`,
  });
  const ada = world.telegram.user({ first_name: "Ada" });
  const chat = world.telegram.privateChat(ada);
  // The dead worker's request stays open: its answer never ends.
  world.plan.answer("begin", [...say(first), ...hold(new Promise(() => undefined))], say(whole));
  chat.say(ada, "begin");
  await world.model.waitForRequest(({ lastUserText }) => lastUserText === "begin", patienceMs);
  const pid = await holderOf(world);
  return { world, chat, ada, pid };
}

/** The worker that runs the only turn. */
async function holderOf({ talaria }: World): Promise<number> {
  const client = new Client({ connectionString: talaria.databaseUrl ?? assert.fail("there is no database") });
  await client.connect();
  try {
    const { rows } = await client.query<{ readonly pid: number }>(
      "select pid from talaria.session join talaria.process on process.id = session.owner",
    );
    return rows[0]?.pid ?? assert.fail("nobody answers");
  } finally {
    await client.end();
  }
}

describe("a worker in the middle of an answer", { concurrency: 1 }, () => {
  for (const workers of [1, 2])
    for (const [signal, how] of [
      ["SIGKILL", /the worker \d ended \(SIGKILL\); it starts again/],
      ["SIGSTOP", /the worker \d has not moved for 14 s; it is killed/],
    ] as const)
      it(`${signal} of one of ${workers}: another gives the whole answer, once`, async (test: TestContext) => {
        const { world, chat, ada, pid } = await inMidAnswer(workers);
        await using _ = world;
        const at = performance.now();
        process.kill(pid, signal);
        chat.say(ada, "and then");
        await chat.waitForBotMessage("the second half", patienceMs);
        test.diagnostic(`answered ${Math.round(performance.now() - at)} ms after ${signal}`);
        await chat.waitForBotMessage("and then", patienceMs);
        assert.match(world.talaria.output, how);
        const asked = world.model.requests.filter(({ lastUserText }) => lastUserText === "begin");
        assert.equal(asked.length, 2);
        const texts = chat.botMessages().map(({ text }) => text);
        assert.equal(texts.filter((text) => text.includes("second half")).length, 1, chat.describe());
        assert.equal(texts.length, 2, chat.describe());
        const { backlog } = JSON.parse(await world.talaria.talaria("status", "--json"));
        assert.deepEqual([backlog.possibleDuplicates, backlog.failedDeliveries], [0, 0]);
      });
});
