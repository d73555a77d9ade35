import assert from "node:assert/strict";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { startModelServer } from "@talaria/testkit";
import { figuresOf } from "../bench/process-tree.ts";
import { Installation } from "../support/installation.ts";
import { Answers } from "./support/answers.ts";
import { killIfAlive } from "./support/kill-if-alive.ts";
import { killPostmaster } from "./support/kill-postmaster.ts";
import { quiet } from "./support/quiet.ts";
import { Talk } from "./support/talk.ts";
import { configOf } from "./support/world.ts";

const chatCount = 20;
const rounds = 8;
/** Between two messages of one person, and between two kills. */
const pauseMs = { message: 1_500, kill: 2_500 };
/** Long enough for kills to meet turns. */
const thinkMs = 150;
const victims = ["gateway", "worker", "postgres"] as const;

it("loses and reorders nothing when gateway, worker and database are killed in turn while people write", async () => {
  const answers = new Answers();
  await using telegram = await startTelegramServer();
  await using model = await startModelServer({
    respond: async (request) => [{ kind: "wait", ms: thinkMs }, ...(await answers.respond(request))],
    keepRequests: 0,
  });
  await using talaria = await Installation.start({ config: configOf(telegram, model, { leaseMs: 3_000 }) });
  const talks = Array.from({ length: chatCount }, () => new Talk({ telegram, answers }));

  const killed: string[] = [];
  let isWriting = true;
  const writing = write(talks).then(() => {
    isWriting = false;
  });
  for (let n = 0; isWriting || n < victims.length; n += 1) {
    await sleep(pauseMs.kill);
    killed.push(...(await kill(talaria, victims[n % victims.length] ?? "gateway")));
  }
  await writing;
  for (const victim of victims) assert.ok(killed.includes(victim), `no ${victim} was killed`);

  for (const talk of talks) await talk.isAnswered(-1, 90_000);
  const { possibleDuplicates, failedDeliveries } = await quiet(talaria);
  for (const { answered, asked, chat } of talks) assert.deepEqual([...new Set(answered)], asked, chat.describe());
  const doubled = talks.reduce((sum, { doubledMessages }) => sum + doubledMessages, 0);
  assert.ok(doubled <= possibleDuplicates, `${doubled} doubled, ${possibleDuplicates} counted`);
  assert.equal(failedDeliveries, 0);
});

async function write(talks: readonly Talk[]): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    for (const talk of talks) talk.ask();
    await sleep(pauseMs.message);
  }
}

/** Returns the name, or nothing when such a process is just being started again. */
async function kill(talaria: Installation, name: (typeof victims)[number]): Promise<readonly string[]> {
  if (name === "postgres") return (await killPostmaster(talaria)) ? [name] : [];
  const victim = (await figuresOf(talaria.pid, talaria.home)).find((process) => process.name === name);
  return victim !== undefined && killIfAlive(victim.pid) ? [name] : [];
}
