import type { Message, MessageEntity, ReactionTypeEmoji, User } from "grammy/types";
import type { ChatMessage, ChatState } from "./chat-state.ts";
import { ChatView } from "./chat-view.ts";
import { detectEntities } from "./detect-entities.ts";
import type { FileKind } from "./file-store.ts";
import { maxCaptionLength, maxTextLength } from "./formatted-text.ts";
import { toWire, toWireChat, wireUser } from "./wire.ts";
import type { BotAccount, CallbackAnswer, NewMessage, World } from "./world.ts";

export interface SayOptions {
  /** Id of a forum topic. */
  readonly topic?: number;
  readonly replyTo?: number;
  readonly quote?: string;
  /** Instead of the links, mentions and commands that are found in the text. */
  readonly entities?: readonly MessageEntity[];
  /** Puts `@bot ` before the text. */
  readonly mentionBot?: boolean;
  readonly silent?: boolean;
}

export interface PersonFile {
  readonly bytes: Uint8Array;
  readonly name?: string;
  readonly mimeType?: string;
  /** What Telegram says the size is, when it is to differ from the bytes. */
  readonly size?: number;
  readonly duration?: number;
}

/** What a person wrote. `updateId` is what the chat's first bot got; undefined when it may not see the message. */
export interface Said {
  readonly messageId: number;
  readonly updateId: number | undefined;
}

/** A press on a button; the app shows a spinner until the bot answers. */
export interface ButtonPress {
  readonly queryId: string;
  readonly updateId: number | undefined;
  readonly answer: Promise<CallbackAnswer>;
  readonly isAnswered: () => boolean;
}

/** What people can do in any chat, beside looking at it. */
export class PeopleChat extends ChatView {
  protected readonly world: World;
  /** The bot that "the bot" means here. */
  protected readonly bot: BotAccount;

  constructor(world: World, state: ChatState, bot: BotAccount) {
    super(world.now, state);
    this.world = world;
    this.bot = bot;
  }

  /** A person sends text of 1 to 4096 UTF-16 units. */
  say(person: User, text: string, options: SayOptions = {}): Said {
    const full = options.mentionBot ? `@${this.bot.user.username} ${text}` : text;
    if (full.length > maxTextLength) throw new Error("apps split text above 4096 units; use paste()");
    return this.#post(person, {
      ...this.#place(options),
      text: full,
      entities: options.entities ?? detectEntities(full),
    });
  }

  /** A person sends text of any length; it arrives in messages of at most 4096 UTF-16 units, as apps do it. */
  paste(person: User, text: string, options: SayOptions = {}): Said[] {
    const parts: string[] = [];
    for (let start = 0; start < text.length; ) {
      const end = Math.min(text.length, start + maxTextLength);
      const cutsPair = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
      parts.push(text.slice(start, cutsPair ? end - 1 : end));
      start = cutsPair ? end - 1 : end;
    }
    return parts.map((part) => this.say(person, part, options));
  }

  sendPhoto(person: User, bytes: Uint8Array, caption = "", options: SayOptions = {}): Said {
    return this.#sendFile(person, "photo", { bytes }, caption, options);
  }

  sendDocument(person: User, file: PersonFile, caption = "", options: SayOptions = {}): Said {
    return this.#sendFile(
      person,
      "document",
      { name: "file.bin", mimeType: "application/octet-stream", ...file },
      caption,
      options,
    );
  }

  sendVoice(person: User, file: PersonFile, options: SayOptions = {}): Said {
    return this.#sendFile(person, "voice", { mimeType: "audio/ogg", ...file }, "", options);
  }

  sendAudio(person: User, file: PersonFile, caption = "", options: SayOptions = {}): Said {
    return this.#sendFile(person, "audio", { mimeType: "audio/mpeg", ...file }, caption, options);
  }

  sendVideo(person: User, file: PersonFile, caption = "", options: SayOptions = {}): Said {
    return this.#sendFile(person, "video", { mimeType: "video/mp4", ...file }, caption, options);
  }

  /** Several photos as one album: one message each, with a common `media_group_id`; the caption is on the first. */
  sendAlbum(person: User, photos: readonly Uint8Array[], caption = "", options: SayOptions = {}): Said[] {
    const mediaGroupId = this.world.nextQueryId();
    return photos.map((bytes, index) =>
      this.#sendFile(person, "photo", { bytes }, index === 0 ? caption : "", options, mediaGroupId),
    );
  }

  /**
   * A message with any other fields of the Bot API: `{ sticker }`, `{ location }`, or with text `{ forward_origin }`, `{ sender_chat }`.
   * The fields stand in the update as given.
   */
  sendOther(person: User, fields: Readonly<Record<string, unknown>>, text = "", options: SayOptions = {}): Said {
    return this.#post(person, { ...this.#place(options), text, entities: detectEntities(text), extra: fields });
  }

  /** A person changes the text or caption of an own message. */
  edit(person: User, messageId: number, text: string): Said {
    const message = this.#find(messageId);
    if (message.from.id !== person.id) throw new Error("people edit only their own messages");
    this.state.rewrite(message, { text, entities: detectEntities(text) }, this.world.now());
    return this.#said(message, this.world.announce(this.state, message, "edited_message"));
  }

  /** A person deletes a message. Telegram tells bots nothing. */
  delete(messageId: number): void {
    this.state.remove(this.#find(messageId));
  }

  /** A person presses the button with this label or callback data. */
  press(person: User, messageId: number, button: string): ButtonPress {
    const message = this.#find(messageId);
    const buttons = (message.markup?.inline_keyboard ?? []).flat() as { text: string; callback_data?: string }[];
    const data = buttons.find((one) => one.text === button || one.callback_data === button)?.callback_data;
    if (data === undefined) throw new Error(`message ${messageId} has no button ${JSON.stringify(button)}`);
    const owner = [...this.world.bots.values()].find((bot) => bot.user.id === message.from.id) ?? this.bot;
    const queryId = this.world.nextQueryId();
    let answered = false;
    const answer = new Promise<CallbackAnswer>((resolve) => {
      owner.callbackQueries.set(queryId, {
        botId: owner.user.id,
        answer: (given) => {
          answered = true;
          resolve(given);
        },
      });
    });
    const updateId = owner.updates.push("callback_query", {
      id: queryId,
      from: wireUser(person),
      message: toWire(this.state, message, owner.user.id),
      chat_instance: String(this.state.id),
      data,
    });
    return { queryId, updateId, answer, isAnswered: () => answered };
  }

  /** A person sets all reactions of theirs on a message; none takes them away. Bots in groups see it only as administrators. */
  react(person: User, messageId: number, ...emoji: string[]): Said {
    const message = this.#find(messageId);
    const before = message.reactions.get(person.id) ?? [];
    const after = emoji.map((one) => ({ type: "emoji", emoji: one as ReactionTypeEmoji["emoji"] }) as const);
    message.reactions.set(person.id, after);
    this.state.tell({ type: "reacted", message });
    const updateIds = this.world.notify(this.state, "message_reaction", (bot) =>
      this.state.isGroup && this.state.bots.get(bot.user.id) !== "administrator"
        ? undefined
        : {
            chat: toWireChat(this.state),
            message_id: message.id,
            user: wireUser(person),
            date: Math.floor(this.world.now() / 1_000),
            old_reaction: before,
            new_reaction: after,
          },
    );
    return this.#said(message, updateIds);
  }

  /** The message as the bot's updates show it, for building hostile variants. */
  asWire(messageId: number): Message {
    return toWire(this.state, this.#find(messageId), this.bot.user.id);
  }

  protected file(kind: FileKind, file: PersonFile) {
    return this.world.files.add({ kind, ...file });
  }

  #sendFile(
    person: User,
    kind: FileKind,
    file: PersonFile,
    caption: string,
    options: SayOptions,
    mediaGroupId?: string,
  ) {
    if (caption.length > maxCaptionLength) throw new Error("captions end at 1024 units");
    return this.#post(person, {
      ...this.#place(options),
      text: caption,
      entities: options.entities ?? detectEntities(caption),
      media: this.file(kind, file),
      ...(mediaGroupId !== undefined && { mediaGroupId }),
    });
  }

  #place({ topic, replyTo, quote, silent }: SayOptions): Omit<NewMessage, "text" | "entities"> {
    if (topic !== undefined && !this.state.topics.has(topic)) throw new Error(`there is no topic ${topic}`);
    return {
      ...(topic !== undefined && { threadId: topic }),
      ...(replyTo !== undefined && { replyTo }),
      ...(quote !== undefined && { quote }),
      ...(silent !== undefined && { silent }),
    };
  }

  #post(person: User, content: NewMessage): Said {
    if (this.state.migratedTo !== undefined) throw new Error("this group moved to another chat");
    if (this.state.blocked) throw new Error("this person blocked the bot");
    const { message, updateIds } = this.world.postAsPerson(this.state, person, content);
    return this.#said(message, updateIds);
  }

  #said(message: ChatMessage, updateIds: ReadonlyMap<number, number>): Said {
    return { messageId: message.id, updateId: updateIds.get(this.bot.user.id) };
  }

  #find(messageId: number): ChatMessage {
    const message = this.state.find(messageId);
    if (message === undefined) throw new Error(`there is no message ${messageId} in this chat`);
    return message;
  }
}
