import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./main.ts";
import { figuresOf } from "./process-tree.ts";
import { startWorld } from "./world.ts";

const chats = 100;
const each = 20;
const killEveryMs = 2_000;
const victims = ["gateway", "worker", "postgres"];

/** Gateway, worker and database are killed in turn while people write. */
export async function chaos(): Promise<readonly Figure[]> {
  await using world = await startWorld({ modelMs: 50 });
  const { telegram, talaria } = world;
  const people = Array.from({ length: chats }, (_, n) => telegram.privateChat(telegram.user({ first_name: `P${n}` })));
  let done = false;
  let kills = 0;
  const killing = (async () => {
    for (; !done; kills += 1) {
      await sleep(killEveryMs);
      await kill(talaria.pid, talaria.home, victims[kills % victims.length] ?? "");
    }
  })();
  for (let n = 0; n < each; n += 1) {
    for (const chat of people) chat.say(chat.person, `m${n};`);
    await sleep(1_500);
  }
  const wholes = people.map((chat) =>
    chat.waitForBotMessage((message) => message.text.includes(`m${each - 1};`), 240_000).catch(() => undefined),
  );
  await Promise.all(wholes);
  done = true;
  await killing;
  await sleep(5_000);
  const seen = people.map((chat) => chat.botMessages().flatMap(({ text }) => text.match(/m\d+;/g) ?? []));
  const lost = seen.reduce((sum, list) => sum + each - new Set(list).size, 0);
  const doubled = people.reduce((sum, chat) => sum + doubledMessages(chat.botMessages().map(({ text }) => text)), 0);
  const reordered = seen.reduce((sum, list) => sum + inversions(list), 0);
  const { possibleDuplicates } = JSON.parse(await talaria.talaria("status", "--json")).backlog;
  return [
    {
      measure: `kill -9 of gateway, worker, database in turn every ${killEveryMs / 1000} s over ${chats * each} messages (${kills} kills)`,
      reach: "lost 0, reordered 0, each duplicate recorded",
      value: `lost ${lost}, reordered ${reordered}, doubled ${doubled}, recorded as possible duplicates ${possibleDuplicates}`,
    },
  ];
}

/** Messages that stand there again. One message may answer several, and is recorded once when it is sent again. */
function doubledMessages(texts: readonly string[]): number {
  const answers = texts.filter((text) => /m\d+;/.test(text));
  return answers.length - new Set(answers).size;
}

/** First mentions that come after a later message's first mention. */
function inversions(list: readonly string[]): number {
  const firsts = [...new Set(list)].map((text) => Number(text.slice(1, -1)));
  return firsts.filter((n, index) => index > 0 && n < (firsts[index - 1] ?? 0)).length;
}

async function kill(supervisor: number, home: string, name: string): Promise<void> {
  const target = (await figuresOf(supervisor, home)).find((process) => process.name === name);
  if (target !== undefined) process.kill(target.pid, "SIGKILL");
}
