import type { Acceptance, AdapterDeps, AdapterStore } from "@talaria/adapter";
import { type Chosen, patiently, type RunningAccepts, SpentChoices } from "@talaria/adapter-kit";
import { type Clock, decidesCalls, type Log } from "@talaria/protocol";
import type { TelegramClient } from "./client.ts";
import { closeChoices, spentData } from "./close-choices.ts";
import { labelOf } from "./inbound.ts";
import type { TelegramPress, TelegramUpdate } from "./update.ts";

export interface PressesDeps {
  readonly client: TelegramClient;
  readonly store: AdapterStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly wordsIn: AdapterDeps["wordsIn"];
  /** What a stop has to wait for. */
  readonly background: RunningAccepts;
}

/** Characters of what is shown above a chat (core.telegram.org/bots/api#answercallbackquery). */
const longestToast = 200;

/** Answers presses of buttons, and closes the messages below which something was chosen. */
export class Presses {
  readonly #deps: PressesDeps;
  readonly #spent: SpentChoices;
  readonly #stopping: AbortSignal;

  /** `stopping` is aborted when the account stops. */
  constructor(deps: PressesDeps, stopping: AbortSignal) {
    this.#deps = deps;
    this.#spent = new SpentChoices(deps.store, deps.log);
    this.#stopping = stopping;
  }

  /**
   * The button shows that it works until it is answered. Who may not press it is told why, and who came too late as well. Resolves
   * when it is stored what was chosen; Telegram need not wait for what is then shown. Never throws.
   */
  async answer(
    { callback_query: press }: TelegramUpdate,
    acceptances: readonly Acceptance[],
    refusal?: string,
  ): Promise<void> {
    if (press === undefined) return;
    const words = this.#deps.wordsIn(press.from?.language_code);
    const spentWords = (chosen?: Chosen) => toastOf(words.answeredAlready(chosen?.label));
    const acceptance = acceptances[0];
    if (acceptance === undefined) return this.#toast(press, press.data === spentData ? spentWords() : "");
    if (acceptance === "dropped") return this.#toast(press, toastOf(refusal ?? words.buttonNotForYou));
    // The house shows how a question was decided: a press may decide nothing.
    if (decidesCalls(buttonsBelow(press))) return this.#toast(press, acceptance === "duplicate" ? spentWords() : "");
    const { message } = press;
    if (message === undefined) return this.#toast(press, "");
    const pressed = { id: press.data ?? "", label: labelOf(press) || (press.data ?? "") };
    const chosen = await this.#spent.after(acceptance, `${message.chat.id}/${message.message_id}`, pressed);
    this.#toast(press, acceptance === "duplicate" && chosen?.id !== pressed.id ? spentWords(chosen) : "");
    // A message that Telegram shows without buttons was closed already.
    if (message.reply_markup !== undefined || message.date === 0) this.#close(message, chosen);
  }

  #close(message: NonNullable<TelegramPress["message"]>, chosen: Chosen | undefined): void {
    const { client, clock } = this.#deps;
    const close = patiently((signal) => closeChoices(message, chosen, client, signal), clock, this.#stopping);
    this.#later(close, "the buttons of a message were not taken away");
  }

  #toast({ id }: TelegramPress, text: string): void {
    const words = text === "" ? {} : { text };
    const call = this.#deps.client.call("answerCallbackQuery", { callback_query_id: id, ...words }, this.#stopping);
    this.#later(call, "a button press was not answered");
  }

  #later(work: Promise<unknown>, failure: string): void {
    const { background, log } = this.#deps;
    void background.track(work.catch((error: unknown) => log.debug({ error }, failure)));
  }
}

function buttonsBelow({ message }: TelegramPress): readonly string[] {
  const buttons = message?.reply_markup?.inline_keyboard.flat() ?? [];
  return buttons.map(({ callback_data: data = "" }) => data);
}

function toastOf(text: string): string {
  return text.slice(0, longestToast).toWellFormed();
}
