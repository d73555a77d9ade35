import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./main.ts";
import { quantile } from "./statistics.ts";
import { startWorld } from "./world.ts";

const chats = 200;
const each = 5;
const modelMs = 400;
const turns = 16;

/** Many people at once: everything answered, in order, nothing twice, and no time lost between turns. */
export async function burst(): Promise<readonly Figure[]> {
  await using world = await startWorld({ modelMs, turns });
  const { telegram, model, talaria } = world;
  const people = Array.from({ length: chats }, (_, n) => telegram.privateChat(telegram.user({ first_name: `P${n}` })));
  const loop: number[] = [];
  const before = model.requestCount();
  const began = performance.now();
  for (let n = 0; n < each; n += 1) for (const chat of people) chat.say(chat.person, `m${n};`);
  let done = false;
  const watching = watchLoop(talaria.url, loop, () => done);
  await Promise.all(
    people.map((chat) => chat.waitForBotMessage((message) => lastIn(message.text) === each - 1, 240_000)),
  );
  const wallMs = performance.now() - began;
  done = true;
  await watching;
  const calls = model.requestCount() - before;
  const idealMs = (calls * modelMs) / turns;
  const faults = people.map((chat) => faultsOf(chat.botMessages().map(({ text }) => text)));
  const count = (kind: "missing" | "doubled" | "reordered") => faults.reduce((sum, fault) => sum + fault[kind], 0);
  return [
    {
      measure: `${chats} chats x ${each} messages at once, model takes ${modelMs} ms`,
      reach: "all answered, in order, none doubled; wall below 2.5 x ideal",
      value: `missing ${count("missing")}, doubled ${count("doubled")}, reordered ${count("reordered")}; ${(wallMs / 1000).toFixed(1)} s = ${(wallMs / idealMs).toFixed(2)} x ideal of ${calls} turns`,
    },
    {
      measure: "gateway loop delay p99 meanwhile, second by second",
      reach: "below 50 ms",
      value: `median ${(quantile(loop, 0.5) * 1000).toFixed(1)} ms, worst second ${(quantile(loop, 1) * 1000).toFixed(1)} ms`,
    },
  ];
}

/** Texts look like `answer to m0;` or, merged into one turn, `answer to m1;\n\nm2;...`. */
function faultsOf(texts: readonly string[]): { missing: number; doubled: number; reordered: number } {
  const seen = texts.flatMap((text) => [...text.matchAll(/m(\d+);/g)].map(([, n]) => Number(n)));
  const distinct = new Set(seen);
  const reordered = seen.filter((n, index) => index > 0 && n < (seen[index - 1] ?? 0)).length;
  return { missing: each - distinct.size, doubled: seen.length - distinct.size, reordered };
}

function lastIn(text: string): number {
  return Math.max(-1, ...[...text.matchAll(/m(\d+);/g)].map(([, n]) => Number(n)));
}

/** Reads the gateway's own figure once a second. */
async function watchLoop(url: string, sample: number[], done: () => boolean): Promise<void> {
  while (!done()) {
    await sleep(1_000);
    const text = await (await fetch(`${url}/metrics`)).text();
    const line = text.split("\n").find((one) => /loop_delay.*gateway.*0\.99|loop_delay.*0\.99.*gateway/.test(one));
    if (line !== undefined) sample.push(Number(line.split(" ").at(-1)));
  }
}
