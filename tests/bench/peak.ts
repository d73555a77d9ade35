import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./main.ts";
import { figuresOf, pssMiB } from "./process-tree.ts";
import { startWorld } from "./world.ts";

const chats = 1_000;
const lookEveryMs = 250;

/** The most memory that the tree takes while a thousand people are answered who wrote at the same moment. */
export async function peak(): Promise<readonly Figure[]> {
  await using world = await startWorld({ modelMs: 400, turns: 64 });
  const { telegram, talaria } = world;
  const people = Array.from({ length: chats }, (_, n) => telegram.privateChat(telegram.user({ first_name: `P${n}` })));
  let highest = 0;
  let running = true;
  const watching = (async () => {
    while (running) {
      highest = Math.max(highest, pssMiB(await figuresOf(talaria.pid, talaria.home)));
      await sleep(lookEveryMs);
    }
  })();
  for (const chat of people) chat.say(chat.person, "hello");
  await Promise.all(people.map((chat) => chat.waitForBotMessage("answer to hello", 120_000)));
  running = false;
  await watching;
  return [
    {
      measure: `memory of the tree at the peak of a burst of ${chats} messages (PSS)`,
      reach: "350 MB",
      value: `${highest.toFixed(0)} MB`,
    },
  ];
}
