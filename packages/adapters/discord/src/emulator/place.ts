import { awaitMessage } from "@talaria/testkit";
import { buttonsOf } from "./components.ts";
import type { InteractionAnswer, Interactions } from "./interactions.ts";
import { type SeenDiscordMessage, toSeenMessage } from "./seen-message.ts";
import { type ChannelState, channelTypes, type DiscordUser, type StoredFile, type StoredMessage } from "./state.ts";
import { guildId, toWireChannel, toWireMessage } from "./wire.ts";
import type { World } from "./world.ts";

export interface DiscordSayOptions {
  readonly replyTo?: string;
  /** Whether an answer notifies the author of the answered message. Default true, as in the app. */
  readonly ping?: boolean;
  /** Puts the bot's mention before the text. */
  readonly mentionBot?: boolean;
  /** The file was recorded in the app as speech. */
  readonly voice?: true;
  readonly files?: readonly PersonFile[];
  /** Passes on a message of another place. */
  readonly forwards?: { readonly content: string; readonly files?: readonly PersonFile[] };
}

interface PersonFile {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly contentType?: string;
}

/** A direct channel, a channel of a server or a thread: what people do there and see there. */
export class DiscordPlace {
  readonly state: ChannelState;
  readonly #world: World;
  readonly #interactions: Interactions;

  constructor(world: World, interactions: Interactions, state: ChannelState) {
    this.#world = world;
    this.#interactions = interactions;
    this.state = state;
  }

  get id(): string {
    return this.state.id;
  }

  /** A person writes up to 2,000 characters. Returns the message's id. */
  say(
    person: DiscordUser,
    text: string,
    { replyTo, ping = true, mentionBot, voice, files = [], forwards }: DiscordSayOptions = {},
  ): string {
    const content = mentionBot ? `<@${this.#world.bot.id}> ${text}` : text;
    if (content.length > 2_000) throw new Error("the app refuses texts above 2000 characters");
    const answered = replyTo === undefined ? undefined : this.#find(replyTo);
    const stored = this.#stored(files);
    const passedOn = forwards && { content: forwards.content, files: this.#stored(forwards.files ?? []) };
    const alsoMentions = answered !== undefined && ping ? [answered.author] : [];
    const flags = voice ? 1 << 13 : 0;
    const message = { content, files: stored, replyTo, alsoMentions, flags, forwards: passedOn };
    return this.#world.post(this.state, person, message).id;
  }

  #stored(files: readonly PersonFile[]): readonly StoredFile[] {
    return files.map(({ bytes, name = "file.bin", contentType = "application/octet-stream" }) => {
      return { id: this.#world.nextId(), filename: name, contentType, bytes };
    });
  }

  edit(person: DiscordUser, messageId: string, text: string): void {
    const message = this.#find(messageId);
    if (message.author.id !== person.id) throw new Error("people edit only their own messages");
    this.#world.edit(message, text);
  }

  delete(messageId: string): void {
    this.#world.delete(this.#find(messageId));
  }

  react(person: DiscordUser, messageId: string, emoji: string): void {
    this.#world.react(this.#find(messageId), person, emoji);
  }

  unreact(person: DiscordUser, messageId: string, emoji: string): void {
    this.#world.unreact(this.#find(messageId), person, emoji);
  }

  /** The same event comes once more, as after a resumed connection. */
  redeliver(messageId: string): void {
    this.#world.onEvent({ type: "MESSAGE_CREATE", message: this.#find(messageId) });
  }

  /** A person presses the button with this `custom_id`. Resolves with the bot's first answer. */
  press(person: DiscordUser, messageId: string, customId: string): Promise<InteractionAnswer> {
    const message = this.#find(messageId);
    const seer = { botId: this.#world.bot.id, seesContent: true, url: "" };
    const button = buttonsOf(message.components).find(({ id }) => id === customId);
    if (button === undefined || button.isDisabled) throw new Error(`nobody can press ${customId} on this message`);
    const { menu } = button;
    const data =
      menu === undefined
        ? { component_type: 2, custom_id: customId }
        : { component_type: 3, custom_id: menu, values: [customId] };
    return this.#interact(person, 3, { data, message: toWireMessage(message, seer) }, message);
  }

  /** A person uses a command with text options. Resolves with the bot's first answer. */
  slash(person: DiscordUser, name: string, options: Readonly<Record<string, string>> = {}): Promise<InteractionAnswer> {
    const given = Object.entries(options).map(([option, value]) => ({ name: option, type: 3, value }));
    return this.#interact(person, 2, { data: { id: this.#world.nextId(), type: 1, name, options: given } });
  }

  #interact(person: DiscordUser, type: number, more: object, pressed?: StoredMessage): Promise<InteractionAnswer> {
    const world = this.#world;
    const id = world.nextId();
    const token = `interaction-${id}`;
    const answer = this.#interactions.ask(id, token, { channel: this.state, ...(pressed && { pressed }) });
    const who =
      this.state.guild === undefined ? { user: person } : { member: { user: person, roles: [], permissions: "0" } };
    const place = { channel_id: this.id, channel: toWireChannel(this.state), ...guildId(this.state) };
    const interaction = {
      id,
      application_id: world.bot.id,
      token,
      type,
      version: 1,
      locale: world.locales.get(person.id) ?? "en-US",
      entitlements: [],
      authorizing_integration_owners: {},
      ...place,
      ...who,
      ...more,
    };
    world.onEvent({ type: "INTERACTION_CREATE", interaction });
    return answer;
  }

  /** A thread of this channel; below a message it has the message's id. In a forum see `post`. */
  thread(name: string, below?: string): DiscordPlace {
    if (below !== undefined) this.#find(below);
    return this.#newThread(name, below);
  }

  /** The thread that is below a message, whoever made it. */
  threadBelow(messageId: string): DiscordPlace | undefined {
    const state = this.#world.channels.get(messageId);
    return state === undefined ? undefined : new DiscordPlace(this.#world, this.#interactions, state);
  }

  /** A post of a forum: a thread whose first message has its id. */
  post(person: DiscordUser, title: string, text: string): { readonly place: DiscordPlace; readonly messageId: string } {
    if (this.state.type !== channelTypes.forum) throw new Error("only forums have posts");
    const place = this.#newThread(title);
    return { place, messageId: place.say(person, text) };
  }

  #newThread(name: string, id?: string): DiscordPlace {
    const { state } = this;
    const facts = {
      type: channelTypes.publicThread,
      name,
      guild: state.guild,
      parent: state,
      ...(id !== undefined && { id }),
    };
    return new DiscordPlace(this.#world, this.#interactions, this.#world.newChannel(facts));
  }

  /** What the bot may do here from now on. */
  allow(access: ChannelState["access"]): void {
    this.state.access = access;
  }

  archive(): void {
    this.state.archived = true;
  }

  /** The channel is gone. */
  remove(): void {
    this.#world.deleteChannel(this.state);
  }

  /** Every remembered message, deleted ones with their mark, oldest first. */
  messages(): SeenDiscordMessage[] {
    return [...this.state.messages.values()].map(toSeenMessage);
  }

  /** Messages of the bot that people see now, oldest first. */
  botMessages(): SeenDiscordMessage[] {
    return this.messages().filter(({ byBot, deleted }) => byBot && !deleted);
  }

  /** Times at which the bot was shown typing. */
  typings(): readonly number[] {
    return this.state.typings;
  }

  /** The first message of the bot whose text contains or matches `test`, now or within `timeoutMs`. */
  waitForBotMessage(test: string | RegExp = "", timeoutMs = 120_000): Promise<SeenDiscordMessage> {
    return awaitMessage(() => this.botMessages(), test, timeoutMs);
  }

  #find(messageId: string): StoredMessage {
    const message = this.state.messages.get(messageId);
    if (message === undefined || message.deleted) throw new Error(`there is no message ${messageId} in this channel`);
    return message;
  }
}
