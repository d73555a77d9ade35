import { awaitMessage } from "@talaria/testkit";
import { type ChatState, newMessageId } from "./chat-state.ts";
import type { MediaKind } from "./media-store.ts";
import type { SeenWhatsappMessage } from "./seen-message.ts";
import type { WhatsappWorld } from "./world.ts";

export interface WhatsappFile {
  readonly kind: MediaKind;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly name?: string;
  readonly caption?: string;
  /** Recorded as speech. */
  readonly voice?: boolean;
}

export interface WhatsappSayOptions {
  /** Id of the message that is answered. */
  readonly replyTo?: string;
}

/** A person with their phone, in their conversation with the business. */
export class WhatsappPerson {
  /** The number, digits only; the id that the business knows. */
  readonly id: string;
  readonly name: string;
  /** What stands for the person when they hide their number. */
  readonly scopedId: string;
  readonly #world: WhatsappWorld;
  readonly #chat: ChatState;

  constructor(world: WhatsappWorld, chat: ChatState) {
    this.#world = world;
    this.#chat = chat;
    this.id = chat.personId;
    this.name = chat.name;
    this.scopedId = chat.scopedId;
  }

  /** Returns the message's id. */
  say(text: string, { replyTo }: WhatsappSayOptions = {}): string {
    const shown = { text, ...(replyTo === undefined ? {} : { replyTo }) };
    return this.#world.say(this.#chat, shown, { type: "text", text: { body: text }, ...this.#context(replyTo) }).id;
  }

  send(file: WhatsappFile, { replyTo }: WhatsappSayOptions = {}): string {
    const { kind, bytes, mimeType, name, caption, voice } = file;
    const stored = this.#world.media.keep(bytes, mimeType);
    const part = {
      id: stored.id,
      mime_type: mimeType,
      sha256: "not computed here",
      ...(caption === undefined ? {} : { caption }),
      ...(name === undefined ? {} : { filename: name }),
      ...(kind === "audio" ? { voice: voice ?? false } : {}),
    };
    const shown = { text: caption ?? "", file: { kind, mimeType, bytes: stored.bytes, voice: voice ?? false } };
    return this.#world.say(this.#chat, shown, { type: kind, [kind]: part, ...this.#context(replyTo) }).id;
  }

  /** An empty emoji takes the reaction away; WhatsApp then leaves the emoji out. Returns the event's id. */
  react(messageId: string, emoji: string): string {
    const message = this.#chat.messages.find(({ id }) => id === messageId);
    if (message === undefined) throw new Error("there is no such message");
    if (emoji === "") delete message.reactions.person;
    else message.reactions.person = emoji;
    const reaction = { message_id: messageId, ...(emoji === "" ? {} : { emoji }) };
    return this.raw({ type: "reaction", reaction });
  }

  /** Touches the choice with this title below a message of the business. Returns the event's id. */
  press(messageId: string, title: string): string {
    const message = this.#chat.messages.find(({ id }) => id === messageId);
    const choice = message?.choices?.find((one) => one.title === title);
    if (message === undefined || choice === undefined) throw new Error(`there is no choice "${title}"`);
    const type = message.choiceForm === "list" ? "list_reply" : "button_reply";
    const interactive = { type, [type]: choice };
    const shown = { text: title, replyTo: messageId };
    return this.#world.say(this.#chat, shown, { type: "interactive", interactive, ...this.#context(messageId) }).id;
  }

  /** Opens the conversation: every message of the business is read. */
  read(): void {
    for (const { id, byBusiness } of this.#chat.messages)
      if (byBusiness) this.#world.pushStatus(this.#chat, id, "read");
  }

  /** Pushes any message as from this person; opens the window. Returns its id. */
  raw(message: Readonly<Record<string, unknown>>): string {
    const id = newMessageId();
    const now = this.#world.options.now();
    this.#chat.lastWroteAt = now;
    this.#world.pushMessage(this.#chat, { id, timestamp: String(Math.floor(now / 1_000)), ...message });
    return typeof message.id === "string" ? message.id : id;
  }

  /** Tells the business what became of a message. */
  status(messageId: string, status: string, failed?: { readonly code: number; readonly details: string }): void {
    this.#world.pushStatus(this.#chat, messageId, status, failed === undefined ? {} : { failed });
  }

  messages(): readonly SeenWhatsappMessage[] {
    return this.#chat.messages;
  }

  answers(): readonly SeenWhatsappMessage[] {
    return this.#chat.messages.filter(({ byBusiness }) => byBusiness);
  }

  /** Typing indicators so far, each with the message it referred to. */
  typing(): readonly { readonly messageId: string; readonly at: number }[] {
    return this.#chat.typing;
  }

  hasReadByBusiness(messageId: string): boolean {
    return this.#chat.readByBusiness.has(messageId);
  }

  /** The window closes as if more than 24 hours had passed. */
  closeWindow(): void {
    this.#chat.lastWroteAt = undefined;
  }

  /** Waits for an answer with these words. */
  waitForAnswer(test: string | RegExp, timeoutMs = 120_000): Promise<SeenWhatsappMessage> {
    return awaitMessage(() => this.answers(), test, timeoutMs);
  }

  #context(replyTo: string | undefined): object {
    if (replyTo === undefined) return {};
    const answered = this.#chat.messages.find(({ id }) => id === replyTo);
    const from = answered?.byBusiness ? this.#world.options.displayNumber : this.id;
    return { context: { from, id: replyTo } };
  }
}
