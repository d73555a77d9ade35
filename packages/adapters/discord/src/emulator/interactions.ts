import {
  alreadyAcknowledged,
  invalidWebhookToken,
  unknownInteraction,
  unknownMessage,
  unknownWebhook,
} from "./api-error.ts";
import type { ChannelState, StoredMessage } from "./state.ts";

/** How long Discord waits for the first answer, and how long its token is good. */
const answerWithinMs = 3_000;
const tokenLifetimeMs = 15 * 60_000;

/** What a bot answered to a press or a command. */
export interface InteractionAnswer {
  /** 4: a message, 5: "thinking", 6: nothing to see, 7: the message is changed. */
  readonly type: number;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly channel: ChannelState;
  /** The message with the button; undefined for a command. */
  readonly pressed?: StoredMessage;
}

interface Waiting extends Asked {
  readonly token: string;
  readonly askedAt: number;
  answer: InteractionAnswer | undefined;
  /** The message that the answer is: `@original`. */
  original: StoredMessage | undefined;
  readonly answered: (answer: InteractionAnswer) => void;
}

/** Presses and commands that wait for the bot, and where its answers are. */
export class Interactions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers that somebody waits. Resolves with the bot's first answer, however late it may be. */
  ask(id: string, token: string, asked: Asked): Promise<InteractionAnswer> {
    const { promise, resolve } = Promise.withResolvers<InteractionAnswer>();
    const askedAt = this.#now();
    this.#waiting.set(id, { ...asked, token, askedAt, answer: undefined, original: undefined, answered: resolve });
    return promise;
  }

  /** Takes the first answer; `perform` makes what people see of it. */
  answer(
    id: string,
    token: string,
    answer: InteractionAnswer,
    perform: (asked: Asked) => StoredMessage | undefined,
  ): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined || waiting.token !== token || this.#now() - waiting.askedAt > answerWithinMs)
      throw unknownInteraction();
    if (waiting.answer !== undefined) throw alreadyAcknowledged();
    waiting.original = perform(waiting);
    waiting.answer = answer;
    waiting.answered(answer);
  }

  /** The message that an answer is, by its token alone, for a quarter of an hour. */
  original(token: string): StoredMessage {
    const waiting = [...this.#waiting.values()].find((one) => one.token === token);
    if (waiting === undefined || waiting.answer === undefined) throw unknownWebhook();
    if (this.#now() - waiting.askedAt > tokenLifetimeMs) throw invalidWebhookToken();
    if (waiting.original === undefined || waiting.original.deleted) throw unknownMessage();
    return waiting.original;
  }
}
