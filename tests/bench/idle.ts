import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./main.ts";
import { cpuBetween, figuresOf, pssMiB } from "./process-tree.ts";
import { startWorld } from "./world.ts";

const messages = 10;
const settleMs = 20_000;
const measuredMs = 30_000;

/** What the tree costs while nobody writes: after its start, and after it has answered ten messages. */
export async function idle(): Promise<readonly Figure[]> {
  await using world = await startWorld();
  const { telegram, talaria } = world;
  await talaria.stop();
  await talaria.begin();
  await sleep(settleMs);
  const started = pssMiB(await figuresOf(talaria.pid, talaria.home));
  const ada = telegram.user({ first_name: "Ada" });
  const chat = telegram.privateChat(ada);
  for (let n = 0; n < messages; n += 1) {
    chat.say(ada, `message ${n}`);
    await chat.waitForBotMessage(`answer to message ${n}`);
  }
  await sleep(settleMs);
  const before = await figuresOf(talaria.pid, talaria.home);
  await sleep(measuredMs);
  const after = await figuresOf(talaria.pid, talaria.home);
  const { totalMs } = cpuBetween(before, after);
  const parts = ["start", "gateway", "worker", "postgres"].map((name) => part(name, before, after)).join(", ");
  return [
    { measure: "memory of the tree after its start (PSS)", reach: "180 MB", value: `${started.toFixed(0)} MB` },
    {
      measure: `memory of the tree after ${messages} messages (PSS)`,
      reach: "200 MB",
      value: `${pssMiB(after).toFixed(0)} MB`,
    },
    {
      measure: "idle processor time of the tree, Telegram polling",
      reach: "0.3 % of a core",
      value: `${((totalMs / measuredMs) * 100).toFixed(2)} % (${parts})`,
    },
  ];
}

type Figures = Awaited<ReturnType<typeof figuresOf>>;

function part(name: string, before: Figures, after: Figures): string {
  const wakes = (figures: Figures) =>
    figures.filter((one) => one.name === name).reduce((total, one) => total + one.wakes, 0);
  const share = (cpuBetween(before, after).ofMs(name) / measuredMs) * 100;
  return `${name} ${share.toFixed(2)} % in ${((wakes(after) - wakes(before)) / (measuredMs / 1000)).toFixed(0)} wakes/s`;
}
