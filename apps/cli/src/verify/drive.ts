import { setTimeout as sleep } from "node:timers/promises";
import { lastQuestion, type Marks, marksIn, questionOf, tallyMarks } from "./marks.ts";
import { type Tally, tallyOf } from "./tally.ts";
import type { WebChat } from "./web-chat.ts";

/** Pauses between two messages of one conversation, so that some meet a running turn and some an idle session. */
const pauseMs = { least: 100, most: 1_500 };
const lookMs = 500;
/** How often a conversation is asked for its marks. */
const mostTries = 5;

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

/**
 * Writes messages that ask for a command each, every third one twice, and each when the one before is answered, so that an answer
 * shows what became of its command. One that is not answered within `waitMs` is the last one.
 */
export async function writeCommands(
  { id, messages }: Conversation,
  chat: WebChat,
  waitMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const events: string[] = [];
  for (let number = 1; number <= messages; number += 1) {
    events.push(await chat.post(id, `m${number}`, questionOf(number), signal));
    if (number % 3 === 0) await chat.post(id, `m${number}`, questionOf(number), signal);
    const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
    if ((await awaitAnswers(id, events, chat, patience)).lost > 0) return events;
  }
  return events;
}

/** Asks what the commands have left. Throws when nobody can tell. */
export async function readMarks(
  { id }: Conversation,
  sent: readonly string[],
  chat: WebChat,
  waitMs: number,
  signal: AbortSignal,
): Promise<Marks> {
  const asked: string[] = [];
  for (let attempt = 1; attempt <= mostTries; attempt += 1) {
    asked.push(await chat.post(id, `marks-${attempt}`, lastQuestion, signal));
    await awaitAnswers(id, asked, chat, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]));
    const history = await chat.history(id, signal);
    const turnId = history.find((line) => line.id === asked.at(-1))?.turnId;
    const answer = history.find((line) => line.from === "agent" && line.turnId === turnId);
    const marks = marksIn(answer?.markdown ?? "");
    if (marks !== undefined) return tallyMarks(sent, history, marks);
  }
  throw new Error("no command has left a mark: `talaria check` says whether the agent has commands");
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
