import { createTestDatabase, stopTestPostgres } from "@talaria/postgres";
import { startRedisServer } from "@talaria/testkit";
import type { Figure } from "./main.ts";
import { cpuBetween, figuresOf } from "./process-tree.ts";
import { startWorld, type WorldOptions } from "./world.ts";

const chats = 200;
const each = 5;
const modelMs = 400;
const turns = 64;

/** Each of many people writes, waits for the answer, and writes again. */
export function closedLoopEmbedded(): Promise<readonly Figure[]> {
  return measure("embedded", { turns });
}

export async function closedLoopRedis(): Promise<readonly Figure[]> {
  const redis = await startRedisServer();
  const database = await createTestDatabase();
  try {
    const env = { REDIS_URL: redis.url, DATABASE_URL: database.url };
    return await measure("PostgreSQL + Redis, 2 workers", { turns: turns / 2, workers: 2, env });
  } finally {
    await database.drop();
    await stopTestPostgres();
    await redis.stop();
  }
}

async function measure(name: string, options: WorldOptions): Promise<readonly Figure[]> {
  await using world = await startWorld({ modelMs, ...options });
  const { telegram, talaria } = world;
  const people = Array.from({ length: chats }, (_, n) => telegram.privateChat(telegram.user({ first_name: `P${n}` })));
  const converse = async (chat: (typeof people)[number], from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      chat.say(chat.person, `message ${n};`);
      await chat.waitForBotMessage(`answer to message ${n};`, 60_000);
    }
  };
  await Promise.all(people.map((chat) => converse(chat, 0, 1)));
  const before = await figuresOf(talaria.pid, talaria.home);
  const began = performance.now();
  await Promise.all(people.map((chat) => converse(chat, 1, 1 + each)));
  const seconds = (performance.now() - began) / 1000;
  const { totalMs } = cpuBetween(before, await figuresOf(talaria.pid, talaria.home));
  const messages = chats * each;
  return [
    {
      measure: `${chats} chats x ${each}, closed loop, model takes ${modelMs} ms, ${turns} turns at once, ${name}`,
      reach: "140/s of 160",
      value: `${(messages / seconds).toFixed(0)}/s, ${(totalMs / messages).toFixed(1)} ms of processor time each`,
    },
  ];
}
