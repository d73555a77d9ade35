import assert from "node:assert/strict";
import { it } from "node:test";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { processesOf } from "../support/processes-of.ts";
import { waitFor } from "../support/wait-for.ts";
import { Answers } from "./support/answers.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";
import { quiet } from "./support/quiet.ts";
import { Talk } from "./support/talk.ts";
import { configOf } from "./support/world.ts";

const skip = process.platform === "linux" ? false : "needs /proc";
const rounds = 10;
/** Chats whose turns stand in a model call at each kill, and chats whose messages are on their way then. */
const counts = { held: 50, moving: 20, open: 60 };
const turns = counts.held + 4;
const thinkMs = 300;
/** Nothing that is held runs out by itself while the test lasts. */
const leaseMs = 600_000;
/** No measure of speed: only a hang takes so long. */
const patienceMs = 120_000;

it("loses and doubles nothing when everything is killed ten times with 50 calls running and 60 messages open", {
  skip,
}, async (t) => {
  const answers = new Answers();
  await using telegram = await startTelegramServer();
  await using model = await startModelServer({
    respond: async (request) => [{ kind: "wait", ms: thinkMs }, ...(await answers.respond(request))],
    keepRequests: 0,
  });
  await using talaria = await Installation.start({ config: configOf(telegram, model, { leaseMs, turns }) });
  const newTalks = (length: number) => Array.from({ length }, () => new Talk({ telegram, answers }));
  const [held, moving] = [newTalks(counts.held), newTalks(counts.moving)];
  const talks = [...held, ...moving];

  for (let round = 1; round <= rounds; round += 1) {
    const killed = Promise.withResolvers<void>();
    for (const talk of held) talk.askAndHold(killed.promise);
    await waitFor(() => model.openAnswers() === counts.held, "every call to run");
    const pids = await processesOf(talaria.pid, talaria.home);
    // The first call of the one kind says that messages are recorded; an answer that the other brings is posted, unheard.
    const isThere = round % 2 === 0 ? reached(telegram, "sendMessage", round) : reached(telegram, "getUpdates", 1);
    const death = isThere.then(() => {
      for (const pid of pids) killIfAlive(pid);
    });
    for (const talk of moving) talk.ask();
    await death;
    const killedAt = performance.now();
    const open = talks.filter(isOpen).length;
    assert.ok(model.openAnswers() >= counts.held && open >= counts.open, `${model.openAnswers()} calls, ${open} open`);
    killed.resolve();
    await talaria.stop();
    await talaria.begin();
    const readyMs = performance.now() - killedAt;
    for (const talk of talks) await talk.isAnswered(-1, patienceMs);
    const answeredMs = performance.now() - killedAt;
    t.diagnostic(
      `kill ${round}: ready after ${Math.round(readyMs)} ms, all answered after ${Math.round(answeredMs)} ms`,
    );
  }

  const { possibleDuplicates, failedDeliveries } = await quiet(talaria);
  for (const { answered, asked, chat } of talks) assert.deepEqual([...new Set(answered)], asked, chat.describe());
  const doubled = talks.reduce((sum, { doubledMessages }) => sum + doubledMessages, 0);
  t.diagnostic(`${doubled} messages doubled, ${possibleDuplicates} marked as possible duplicates`);
  assert.ok(doubled <= possibleDuplicates, `${doubled} doubled, ${possibleDuplicates} counted`);
  assert.equal(failedDeliveries, 0);
});

/** Resolves within the call of this number, which the server has got and not answered. */
function reached(telegram: TelegramServer, method: string, number: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const forget = telegram.onCall(method, () => {
    count += 1;
    if (count < number) return;
    forget();
    resolve();
  });
  return promise;
}

function isOpen({ answered, asked }: Talk): boolean {
  return answered.at(-1) !== asked.at(-1);
}
