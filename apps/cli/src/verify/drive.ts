import { setTimeout as sleep } from "node:timers/promises";
import { type Tally, tallyOf } from "./tally.ts";
import type { WebChat } from "./web-chat.ts";

/** Pauses between two messages of one conversation, so that some meet a running turn and some an idle session. */
const pauseMs = { least: 100, most: 1_500 };
const lookMs = 500;

export interface Conversation {
  readonly id: string;
  /** How many messages are written in it. */
  readonly messages: number;
}

/**
 * Writes the messages of one conversation, one after another and every third one twice. Returns the events' ids in order.
 */
export async function write(
  { id, messages }: Conversation,
  chat: WebChat,
  random: () => number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const events: string[] = [];
  for (let number = 1; number <= messages; number += 1) {
    const text = `Self-test, message ${number} of ${messages}. Answer with one word.`;
    events.push(await chat.post(id, `m${number}`, text, signal));
    if (number % 3 === 0) await chat.post(id, `m${number}`, text, signal);
    await sleep(pauseMs.least + random() * (pauseMs.most - pauseMs.least), undefined, { signal });
  }
  return events;
}

/** Resolves when everything is answered, or with what is there when `signal` is aborted. */
export async function awaitAnswers(
  conversation: string,
  sent: readonly string[],
  chat: WebChat,
  signal: AbortSignal,
): Promise<Tally> {
  let tally = tallyOf(sent, []);
  try {
    for (;;) {
      tally = tallyOf(sent, await chat.history(conversation, signal));
      if (tally.lost === 0) return tally;
      await sleep(lookMs, undefined, { signal });
    }
  } catch (error) {
    if (signal.aborted) return tally;
    throw error;
  }
}
