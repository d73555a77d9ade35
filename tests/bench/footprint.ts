import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./main.ts";
import { figuresOf, type ProcessFigures } from "./process-tree.ts";
import { startWorld } from "./world.ts";

const idleMs = 30_000;

/** Memory of the whole tree, half a minute after it was ready and had answered one message. */
export async function footprint(): Promise<readonly Figure[]> {
  await using world = await startWorld();
  const { telegram, talaria } = world;
  await talaria.stop();
  await talaria.begin();
  const ada = telegram.user({ first_name: "Ada" });
  const chat = telegram.privateChat(ada);
  chat.say(ada, "hello");
  await chat.waitForBotMessage("answer to hello");
  await sleep(idleMs);
  const before = await figuresOf(talaria.pid, talaria.home);
  await sleep(10_000);
  const after = await figuresOf(talaria.pid, talaria.home);
  const cpu = (sum(after, "cpuMs") - sum(before, "cpuMs")) / 10_000;
  const parts = [...Map.groupBy(after, ({ name }) => name)]
    .map(([name, processes]) => `${name} ${mebibytes(processes)}`)
    .join(", ");
  const gateway = after.filter(({ name }) => name === "gateway");
  return [
    { measure: "idle memory of the tree (PSS)", reach: "250 MB", value: `${mebibytes(after)} MB (${parts})` },
    { measure: "idle memory of the gateway (PSS)", reach: "110 MB", value: `${mebibytes(gateway)} MB` },
    { measure: "idle processor time of the tree", reach: "-", value: `${(cpu * 100).toFixed(2)} % of one core` },
  ];
}

function sum(processes: readonly ProcessFigures[], field: "pssKiB" | "cpuMs"): number {
  return processes.reduce((total, figures) => total + figures[field], 0);
}

function mebibytes(processes: readonly ProcessFigures[]): string {
  return (sum(processes, "pssKiB") / 1024).toFixed(0);
}
