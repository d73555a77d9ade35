import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";
import { Answers, question } from "./support/answers.ts";
import { quiet } from "./support/quiet.ts";
import { Talk } from "./support/talk.ts";
import { configOf } from "./support/world.ts";

const skip = process.platform === "linux" && process.getuid?.() === 0 ? false : "needs root, who may mount a tmpfs";
const chatCount = 12;
const patienceMs = 120_000;
/** So that what people write soon finds no page that is free. */
const padding = "and so on, ".repeat(330);

it("the disk of the database is full for a while: /readyz says so, its owner hears it, nothing is lost, and it goes on by itself", {
  skip,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "talaria-disk-"));
  await using closing = new AsyncDisposableStack();
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  const disk = join(folder, "postgres");
  if (!(await mounts(disk))) return t.skip("a tmpfs can't be mounted here");
  closing.defer(() => void execFileSync("umount", ["-l", disk]));
  const answers = new Answers();
  await using telegram = await startTelegramServer();
  await using model = await startModelServer({ respond: answers.respond, keepRequests: 0 });
  const owner = telegram.user({ first_name: "Bo" });
  const home = telegram.privateChat(owner);
  const config = configOf(telegram, model, { leaseMs: 3_000, owners: [owner.id] });
  const talaria = await Installation.start({ home: folder, config });
  closing.defer(() => talaria.stop());
  const talks = Array.from({ length: chatCount }, () => new Talk({ telegram, answers }));
  const askMore = () => {
    for (const { asked, chat } of talks) {
      const next = question();
      asked.push(next);
      chat.say(chat.person, `${next} ${padding}`);
    }
  };
  home.say(owner, "/start");
  await home.waitForBotMessage("You're an owner");
  askMore();
  for (const talk of talks) await talk.isAnswered();
  const held = Promise.withResolvers<void>();
  for (const talk of talks) talk.askAndHold(held.promise);
  await waitFor(() => model.openAnswers() === chatCount, "every turn to run");

  const filler = join(disk, "filler");
  await fill(filler);
  askMore();
  held.resolve();
  const isTold = async () => {
    askMore();
    return /disk of the database is full/.test(await (await talaria.fetch("/readyz")).text());
  };
  await waitFor(isTold, "the gateway to say that the disk is full", patienceMs);
  // What people write meanwhile finds every page that becomes free.
  const isOwnerTold = async () => {
    askMore();
    await delay(2_000);
    return home.botMessages().some(({ text }) => text.includes("disk of my database is full"));
  };
  await waitFor(isOwnerTold, "the owner to be told", patienceMs).finally(() => rm(filler));

  for (const talk of talks) await talk.isAnswered(-1, patienceMs);
  await home.waitForBotMessage("my database takes messages again", patienceMs);
  const { possibleDuplicates, failedDeliveries } = await quiet(talaria);
  for (const { answered, asked, chat } of talks) assert.deepEqual([...new Set(answered)], asked, chat.describe());
  for (const talk of talks) assert.equal(talk.doubledMessages, 0);
  assert.deepEqual({ possibleDuplicates, failedDeliveries }, { possibleDuplicates: 0, failedDeliveries: 0 });
});

/** Whether a disk of its own is there. In some containers even root may not mount one. */
async function mounts(folder: string): Promise<boolean> {
  await mkdir(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=160m,mode=0700", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

async function fill(path: string): Promise<void> {
  const file = await open(path, "w");
  try {
    for (const bytes of [1_000_000, 4_096]) {
      const piece = Buffer.alloc(bytes);
      while (
        await file.write(piece).then(
          ({ bytesWritten }) => bytesWritten === bytes,
          () => false,
        )
      );
    }
  } finally {
    await file.close();
  }
}
