import assert from "node:assert/strict";
import type { BotAccount, PrivateChat } from "@talaria/adapter-telegram/emulator";
import { hold } from "@talaria/testkit";
import { question, questionsIn } from "./answers.ts";
import { patienceMs } from "./journey.ts";
import type { FleetWorld } from "./world.ts";

/** What one person asks in a direct chat, and what comes back. */
export class Talk {
  readonly chat: PrivateChat;
  readonly asked: string[] = [];
  readonly #answers: FleetWorld["answers"];

  constructor({ telegram, answers }: Pick<FleetWorld, "telegram" | "answers">, bot?: BotAccount) {
    this.chat = telegram.privateChat(telegram.user({ first_name: "Ada" }), bot);
    this.#answers = answers;
  }

  /** Returns the question, and the id of its event. */
  ask(): { readonly asked: string; readonly eventId: string } {
    const asked = question();
    this.asked.push(asked);
    return { asked, eventId: `u${this.chat.say(this.chat.person, asked).updateId}` };
  }

  /** The model answers this one only when the promise settles. */
  askAndHold(until: Promise<void>): void {
    const { asked } = this.ask();
    this.#answers.plan(asked, (answer) => [...hold(until), ...answer]);
  }

  /** Resolves when the last question is answered, or the one with this index. */
  async isAnswered(index = -1, timeoutMs = patienceMs): Promise<void> {
    await this.chat.waitForBotMessage(this.asked.at(index), timeoutMs);
  }

  /** Questions whose answers stand in the chat, in its order. */
  get answered(): readonly string[] {
    return questionsIn(this.chat.botMessages().map(({ text }) => text));
  }

  /** Messages that stand there again. One message may answer several questions, and is counted once when it is doubled. */
  get doubledMessages(): number {
    const answers = this.chat.botMessages().filter(({ text }) => questionsIn([text]).length > 0);
    return answers.length - new Set(answers.map(({ text }) => text)).size;
  }

  assertEachOnce(): void {
    assert.deepEqual(this.answered, this.asked, this.chat.describe());
  }
}
