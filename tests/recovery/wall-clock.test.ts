import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { Answers } from "./support/answers.ts";
import { quiet } from "./support/quiet.ts";
import { Talk } from "./support/talk.ts";
import { configOf } from "./support/world.ts";

const preload = new URL("./support/wall-clock-preload.ts", import.meta.url).href;
const chatCount = 10;
/** More than a chat's pace lets through at once. */
const burst = 3;
const hourMs = 3_600_000;
/** Some of the preload's looks. */
const noticedMs = 200;

it("people are answered while the wall clock of supervisor, gateway and worker jumps by hours, both ways", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-clock-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "off");
  await writeFile(file, "0");
  const answers = new Answers();
  await using telegram = await startTelegramServer();
  await using model = await startModelServer({ respond: answers.respond, keepRequests: 0 });
  await using talaria = await Installation.start({
    config: configOf(telegram, model, { leaseMs: 3_000 }),
    database: "shared",
    env: { LOG_LEVEL: "info", NODE_OPTIONS: `--import ${preload}`, NODE_TALARIA_WALL_CLOCK: file },
  });
  const before = await talaria.processes();
  const talks = Array.from({ length: chatCount }, () => new Talk({ telegram, answers }));
  const askAll = async () => {
    for (const talk of talks) for (let n = 0; n < burst; n += 1) talk.ask();
    await Promise.all(talks.map((talk) => talk.isAnswered()));
  };
  for (const hours of [2, -2, 30, -30]) {
    // They are on their way when the clocks jump, and more come afterwards.
    for (const talk of talks) talk.ask();
    await writeFile(file, String(hours * hourMs));
    await sleep(noticedMs);
    await askAll();
    assert.deepEqual(await hoursAhead(talaria), { gateway: hours, worker: hours }, "the clocks are off");
  }
  const { possibleDuplicates, failedDeliveries } = await quiet(talaria);
  for (const { answered, asked, chat } of talks) assert.deepEqual(answered, asked, chat.describe());
  assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
  assert.deepEqual((await talaria.processes()).map(({ pid }) => pid).sort(), before.map(({ pid }) => pid).sort());
});

/** By how many hours the last lines of the log are ahead of this process. */
async function hoursAhead({ home }: Installation): Promise<Readonly<Record<string, number>>> {
  const text = await readFile(join(home, "logs", "talaria.log"), "utf8");
  const lines = [...text.matchAll(/"time":"([^"]+)","pid":\d+,"name":"(gateway|worker)"/g)];
  const hours = ([, time = ""]: RegExpExecArray) => Math.round((Date.parse(time) - Date.now()) / hourMs);
  return Object.fromEntries(lines.map((line) => [line[2] ?? "", hours(line)]));
}
