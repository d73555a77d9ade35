import { setTimeout as sleep } from "node:timers/promises";
import type { Hop } from "./hops-recorder.ts";
import type { Figure } from "./main.ts";
import { recordHops } from "./recorded-hops.ts";
import { startWorld } from "./world.ts";

const warmUp = 5;
const messages = 40;
const spacingMs = 1_100;
/** What happens later does not belong to the message. */
const settledMs = 200;
/** Hops that belong to fewer messages than this share are left out: renewals, sweeps, polls. */
const share = 0.6;

/** What happens to one message in one chat, hop by hop, in milliseconds since the person sent it. */
export async function hops(): Promise<readonly Figure[]> {
  await using recorded = await recordHops();
  const begun: number[] = [];
  const ours: Hop[] = [];
  const now = () => performance.timeOrigin + performance.now();
  await using world = await startWorld({ env: recorded.env });
  const { telegram, model, talaria } = world;
  const chat = telegram.privateChat(telegram.user({ first_name: "Ada" }));
  model.respondWith((request) => {
    ours.push({ at: now(), what: "model server: asked" });
    return [{ kind: "text", text: `answer to ${request.lastUserText}` }];
  });
  telegram.onCall("sendMessage", () => {
    ours.push({ at: now(), what: "Telegram: called" });
  });
  for (let n = 0; n < warmUp + messages; n += 1) {
    if (n >= warmUp) begun.push(now());
    chat.say(chat.person, `message ${n}`);
    await chat.waitForBotMessage(`answer to message ${n}`, 10_000);
    await sleep(spacingMs);
  }
  await talaria.stop();
  return timeline(begun, [...ours, ...(await recorded.read())]);
}

function timeline(begun: readonly number[], all: readonly Hop[]): readonly Figure[] {
  const offsets = new Map<string, number[]>();
  for (const start of begun) {
    const seen = new Map<string, number>();
    const own = all.filter(({ at }) => at >= start && at < start + settledMs).sort((a, b) => a.at - b.at);
    for (const { at, what } of own) {
      const count = (seen.get(what) ?? 0) + 1;
      seen.set(what, count);
      const name = count === 1 ? what : `${what} (${count})`;
      offsets.set(name, [...(offsets.get(name) ?? []), at - start]);
    }
  }
  return [...offsets]
    .filter(([, times]) => times.length >= begun.length * share)
    .map(([measure, times]) => ({ measure, at: median(times) }))
    .sort((a, b) => a.at - b.at)
    .map(({ measure, at }) => ({ measure, reach: "-", value: `${at.toFixed(2)} ms` }));
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
