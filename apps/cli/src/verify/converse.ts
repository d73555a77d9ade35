import { awaitAnswers, type Conversation, readMarks, write, writeCommands } from "./drive.ts";
import { type Marks, totalMarks } from "./marks.ts";
import { type Tally, totalOf } from "./tally.ts";
import type { WebChat } from "./web-chat.ts";

export interface Conversing {
  readonly conversations: readonly Conversation[];
  readonly chat: WebChat;
  /** How long answers may take after the last message. */
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Settles when no more harm is done. */
  readonly harm: Promise<void>;
  readonly say: (line: string) => void;
}

export interface Commanded {
  readonly tally: Tally;
  readonly marks: Marks;
}

/** All conversations at the same time, one message after the other without waiting for answers. */
export async function converse(conversing: Conversing): Promise<Tally> {
  const { conversations, chat, signal } = conversing;
  const { harm, ...rest } = conversing;
  const writing = Promise.all(conversations.map((one) => write(one, chat, Math.random, signal)));
  const [tally] = await Promise.all([writing.then((sent) => tallyAll(sent, rest)), harm]);
  return tally;
}

/** All conversations at the same time, with a command in each message; what the commands have left is read when all is calm again. */
export async function command(conversing: Conversing): Promise<Commanded> {
  const { conversations, chat, waitMs, signal, harm } = conversing;
  const patienceMs = waitMs;
  const writing = Promise.all(conversations.map((one) => writeCommands(one, chat, patienceMs, signal)));
  const [sent] = await Promise.all([writing, harm]);
  const tally = await tallyAll(sent, conversing);
  const marks = await Promise.all(
    conversations.map((one, index) => readMarks(one, sent[index] ?? [], chat, waitMs, signal)),
  );
  return { tally, marks: totalMarks(marks) };
}

async function tallyAll(
  sent: readonly (readonly string[])[],
  { conversations, chat, waitMs, signal, say }: Omit<Conversing, "harm">,
): Promise<Tally> {
  say("everything is written; waiting for the answers");
  const patience = AbortSignal.any([signal, AbortSignal.timeout(waitMs)]);
  const tallies = conversations.map(({ id }, index) => awaitAnswers(id, sent[index] ?? [], chat, patience));
  return totalOf(await Promise.all(tallies));
}
