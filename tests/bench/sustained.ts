import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, stopTestPostgres } from "@talaria/postgres";
import { startRedisServer } from "@talaria/testkit";
import type { Figure } from "./main.ts";
import { figuresOf } from "./process-tree.ts";
import { startWorld, type WorldOptions } from "./world.ts";

const chats = 2_000;
/** Messages under way at any moment. */
const outstanding = 96;
const warmUpMs = 5_000;
const measuredMs = 20_000;

/** Messages a second through the whole path, when the model answers at once. */
export async function sustainedEmbedded(): Promise<readonly Figure[]> {
  return measure("embedded", "200/s", { turns: 32 });
}

export async function sustainedRedis(): Promise<readonly Figure[]> {
  const redis = await startRedisServer();
  const database = await createTestDatabase();
  try {
    const env = { REDIS_URL: redis.url, DATABASE_URL: database.url };
    return await measure("PostgreSQL + Redis, 3 workers", "400/s", { turns: 32, workers: 3, env });
  } finally {
    await database.drop();
    await stopTestPostgres();
    await redis.stop();
  }
}

async function measure(name: string, reach: string, options: WorldOptions): Promise<readonly Figure[]> {
  await using world = await startWorld(options);
  const { telegram, talaria } = world;
  const people = Array.from({ length: chats }, (_, n) => telegram.privateChat(telegram.user({ first_name: `P${n}` })));
  let answered = 0;
  let running = true;
  let next = 0;
  const converse = async () => {
    while (running) {
      const chat = people[next++ % people.length];
      if (chat === undefined) return;
      const text = `message ${next}`;
      chat.say(chat.person, text);
      await chat.waitForBotMessage(`answer to ${text}`, 60_000);
      answered += 1;
    }
  };
  const conversations = Array.from({ length: outstanding }, converse);
  await sleep(warmUpMs);
  const from = { answered, at: performance.now(), cpuMs: await cpuOf(talaria.pid, talaria.home) };
  await sleep(measuredMs);
  const messages = answered - from.answered;
  const seconds = (performance.now() - from.at) / 1000;
  const cpuMs = (await cpuOf(talaria.pid, talaria.home)) - from.cpuMs;
  running = false;
  await Promise.all(conversations);
  return [
    { measure: `sustained messages, ${name}`, reach, value: `${(messages / seconds).toFixed(0)}/s` },
    {
      measure: `processor time of the tree per message, ${name}`,
      reach: "15 ms",
      value: `${(cpuMs / messages).toFixed(1)} ms`,
    },
  ];
}

async function cpuOf(pid: number, home: string): Promise<number> {
  return (await figuresOf(pid, home)).reduce((total, { cpuMs }) => total + cpuMs, 0);
}
