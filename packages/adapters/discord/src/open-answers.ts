import type { AdapterStore } from "@talaria/adapter";
import type { Clock, OutboundMessage } from "@talaria/protocol";
import { z } from "zod";
import { snowflake } from "./wire.ts";

/** Discord's tokens last 15 minutes; the last one is left to clocks that differ. */
const lifetimeMs = 14 * 60_000;
const kept = 100;
const storeName = "open-answers";

const openAnswer = z.object({
  id: snowflake,
  applicationId: snowflake,
  channelId: snowflake,
  token: z.string(),
  until: z.number(),
  /** The message that became the answer. Sent again, it becomes it again. */
  deliveryKey: z.string().optional(),
});
/** One command that waits, and what its answer is posted with. */
export type OpenAnswer = z.output<typeof openAnswer>;

/**
 * Slash commands that Discord shows as "thinking" until their answer comes. Stored before the command is acknowledged and
 * before an answer is posted, so that a restart neither loses the place of an answer nor posts one twice.
 */
export class OpenAnswers {
  readonly #store: AdapterStore;
  readonly #clock: Clock;
  #answers: readonly OpenAnswer[];
  #writing: Promise<void> = Promise.resolve();

  private constructor(store: AdapterStore, clock: Clock, answers: readonly OpenAnswer[]) {
    this.#store = store;
    this.#clock = clock;
    this.#answers = answers;
  }

  static async load(store: AdapterStore, clock: Clock): Promise<OpenAnswers> {
    const read = z.array(openAnswer).safeParse(parsed((await store.read(storeName)) ?? "[]"));
    return new OpenAnswers(store, clock, read.data ?? []);
  }

  async open(facts: Omit<OpenAnswer, "until" | "deliveryKey">): Promise<void> {
    await this.#change([...this.#alive(), { ...facts, until: this.#clock.now() + lifetimeMs }].slice(-kept));
  }

  async forget(id: string): Promise<void> {
    await this.#change(this.#alive().filter((answer) => answer.id !== id));
  }

  /**
   * The command that a message answers: the one it replies to, or in direct messages, where replies name none, the oldest
   * of the channel. The message keeps it.
   */
  async claim(message: OutboundMessage, channelId: string): Promise<OpenAnswer | undefined> {
    const { deliveryKey, replyTo, conversation } = message;
    const here = this.#alive().filter((answer) => answer.channelId === channelId);
    const claimed = here.find((answer) => answer.deliveryKey === deliveryKey);
    if (claimed !== undefined) return claimed;
    const free = here.filter((answer) => answer.deliveryKey === undefined);
    const mine =
      replyTo === undefined && conversation.kind === "direct" ? free[0] : free.find(({ id }) => id === replyTo);
    if (mine === undefined) return undefined;
    const taken = { ...mine, deliveryKey };
    await this.#change(this.#answers.map((answer) => (answer.id === mine.id ? taken : answer)));
    return taken;
  }

  #alive(): readonly OpenAnswer[] {
    const now = this.#clock.now();
    return this.#answers.filter(({ until }) => until > now && until - now <= lifetimeMs);
  }

  /** Writes follow one another; the last state wins. */
  async #change(answers: readonly OpenAnswer[]): Promise<void> {
    this.#answers = answers;
    const write = this.#writing.then(() => this.#store.write(storeName, JSON.stringify(this.#answers)));
    this.#writing = write.catch(() => undefined);
    await write;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
