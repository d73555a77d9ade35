import type { Figure } from "./main.ts";
import { cpuBetween, figuresOf } from "./process-tree.ts";
import { startWorld } from "./world.ts";

const warmUp = 100;
const messages = 300;
const chats = 50;

/** Processor time of the tree for one message, one after the other, in chats that take turns. */
export async function cost(): Promise<readonly Figure[]> {
  await using world = await startWorld();
  const { telegram, talaria } = world;
  const people = Array.from({ length: chats }, (_, n) => telegram.privateChat(telegram.user({ first_name: `P${n}` })));
  const converse = async (from: number, to: number) => {
    for (let n = from; n < to; n += 1) {
      const chat = people[n % chats];
      chat?.say(chat.person, `message ${n};`);
      await chat?.waitForBotMessage(`answer to message ${n};`, 20_000);
    }
  };
  await converse(0, warmUp);
  const before = await figuresOf(talaria.pid, talaria.home);
  await converse(warmUp, warmUp + messages);
  const { totalMs, ofMs } = cpuBetween(before, await figuresOf(talaria.pid, talaria.home));
  const parts = ["gateway", "worker", "postgres"].map((name) => `${name} ${(ofMs(name) / messages).toFixed(1)}`);
  return [
    {
      measure: "processor time of the tree per message, one after the other",
      reach: "15 ms",
      value: `${(totalMs / messages).toFixed(1)} ms (${parts.join(", ")})`,
    },
  ];
}
