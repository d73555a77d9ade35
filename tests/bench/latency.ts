import { setTimeout as sleep } from "node:timers/promises";
import type { Figure } from "./main.ts";
import { describeMs } from "./statistics.ts";
import { startWorld } from "./world.ts";

const warmUp = 5;
const messages = 60;
/** Telegram bears about one message a second in a chat; faster, and the pause itself would be measured. */
const spacingMs = 1_100;

/** What Talaria adds to one message in one chat, when the model answers at once. */
export async function latency(): Promise<readonly Figure[]> {
  await using world = await startWorld();
  const { telegram, model } = world;
  const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
  const toModel: number[] = [];
  const toPlatform: number[] = [];
  let modelAt = 0;
  let sentAt = 0;
  model.respondWith((request) => {
    modelAt = performance.now();
    return [{ kind: "text", text: `answer to ${request.lastUserText}` }];
  });
  telegram.onCall("sendMessage", () => {
    sentAt = performance.now();
  });
  for (let n = 0; n < warmUp + messages; n += 1) {
    const began = performance.now();
    chat.say(chat.person, `message ${n}`);
    await chat.waitForBotMessage(`answer to message ${n}`, 10_000);
    if (n >= warmUp) {
      toModel.push(modelAt - began);
      toPlatform.push(sentAt - modelAt);
    }
    await sleep(spacingMs);
  }
  return [
    { measure: "update received -> model called", reach: "p50 12 ms, p95 30 ms", value: describeMs(toModel) },
    { measure: "model finished -> platform called", reach: "p50 12 ms, p95 30 ms", value: describeMs(toPlatform) },
  ];
}
