import type { WebhookRetry } from "@talaria/testkit";
import type { InlineKeyboardMarkup, InputRichBlock, MessageEntity, User, UserFromGetMe } from "grammy/types";
import { BoundedMap } from "./bounded-map.ts";
import { type ChatMessage, ChatState } from "./chat-state.ts";
import { FileStore, type StoredFile } from "./file-store.ts";
import { isMeantForBot } from "./privacy.ts";
import { RateLimits, type TelegramLimits } from "./rate-limits.ts";
import { UpdateQueue } from "./update-queue.ts";
import { WebhookPusher } from "./webhook-pusher.ts";
import { toWire, toWireChat, wireUser } from "./wire.ts";

export interface BotOptions {
  /** `<numeric id>:<secret>`. */
  readonly token: string;
  readonly username?: string;
  readonly firstName?: string;
  /** True switches privacy mode off: the bot gets every group message. */
  readonly canReadAllGroupMessages?: boolean;
  readonly topicsInPrivateChats?: boolean;
  /** The bot may be called into chats that it is no member of, as switched on at @BotFather. */
  readonly guestMode?: boolean;
  /** False makes the server an older one for this bot. */
  readonly richMessages?: boolean;
}

export interface CallbackAnswer {
  readonly text: string;
  readonly showAlert: boolean;
}

export interface CallbackQuery {
  readonly botId: number;
  answer(answer: CallbackAnswer): void;
}

/** One bot account on the server. */
export interface BotAccount {
  token: string;
  readonly user: UserFromGetMe;
  readonly updates: UpdateQueue;
  readonly limits: RateLimits | undefined;
  readonly callbackQueries: Map<string, CallbackQuery>;
  readonly webhook: WebhookPusher;
  readonly knowsRichMessages: boolean;
  /** By scope: `default`, `all_group_chats`, `chat:<id>`. */
  readonly menus: Map<string, unknown[]>;
}

export interface NewMessage {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly rich?: readonly InputRichBlock[];
  readonly media?: StoredFile;
  readonly mediaGroupId?: string;
  readonly threadId?: number;
  readonly replyTo?: number;
  readonly quote?: string;
  readonly markup?: InlineKeyboardMarkup;
  readonly service?: Readonly<Record<string, unknown>>;
  /** More fields of the message as bots see it. */
  readonly extra?: Readonly<Record<string, unknown>>;
  readonly silent?: boolean;
}

/** A call into a chat that the bot is no member of, and what it was answered with. */
export interface GuestQuery {
  readonly botId: number;
  answer?: { readonly text: string; readonly entities: readonly MessageEntity[] };
}

/** Everything the server knows: bots, people, chats, files. */
export class World {
  readonly now: () => number;
  readonly bots = new Map<string, BotAccount>();
  readonly users = new Map<number, User>();
  readonly groups = new Map<number, ChatState>();
  readonly files = new FileStore();
  readonly guestQueries = new BoundedMap<string, GuestQuery>(5_000);
  readonly #privateChats = new Map<string, ChatState>();
  #lastQueryId = 4_000_000_000;
  #lastGroupId = 0;

  constructor(now: () => number) {
    this.now = now;
  }

  addBot(options: BotOptions, limits: TelegramLimits | undefined, retry: WebhookRetry): BotAccount {
    const id = Number.parseInt(options.token, 10);
    if (!Number.isSafeInteger(id)) throw new Error("a bot token starts with the bot's numeric id and a colon");
    const user: UserFromGetMe = {
      id,
      is_bot: true,
      first_name: options.firstName ?? "Emulated Bot",
      username: options.username ?? `emulated_${id}_bot`,
      can_join_groups: true,
      can_read_all_group_messages: options.canReadAllGroupMessages ?? false,
      supports_inline_queries: false,
      can_connect_to_business: false,
      has_main_web_app: false,
      has_topics_enabled: options.topicsInPrivateChats ?? false,
      allows_users_to_create_topics: options.topicsInPrivateChats ?? false,
      can_manage_bots: false,
      supports_join_request_queries: false,
      supports_guest_queries: options.guestMode ?? false,
    };
    const updates = new UpdateQueue(100_000_001 + (id % 1_000) * 1_000_000);
    const bot: BotAccount = {
      token: options.token,
      user,
      updates,
      limits: limits && new RateLimits(limits),
      callbackQueries: new BoundedMap(5_000),
      webhook: new WebhookPusher(updates, retry, this.now),
      knowsRichMessages: options.richMessages ?? true,
      menus: new Map(),
    };
    this.bots.set(options.token, bot);
    return bot;
  }

  /** Calls with the former token answer 401 from now on; chats, updates and files stay. */
  renewToken(bot: BotAccount, token: string): void {
    if (Number.parseInt(token, 10) !== bot.user.id) throw new Error("a bot keeps its numeric id");
    this.bots.delete(bot.token);
    bot.token = token;
    this.bots.set(token, bot);
  }

  privateChat(bot: BotAccount, person: User): ChatState {
    const key = `${bot.user.id}:${person.id}`;
    const known = this.#privateChats.get(key);
    if (known) return known;
    const chat = new ChatState({ id: person.id, kind: "private", person });
    chat.bots.set(bot.user.id, "member");
    chat.members.set(person.id, person);
    this.#privateChats.set(key, chat);
    return chat;
  }

  addGroup(facts: { kind: "group" | "supergroup"; title: string; isForum?: boolean }): ChatState {
    this.#lastGroupId += 1;
    const id = facts.kind === "group" ? -400_000_000 - this.#lastGroupId : -1_001_000_000_000 - this.#lastGroupId;
    const chat = new ChatState({ ...facts, id });
    this.groups.set(id, chat);
    return chat;
  }

  /** The chat a bot means by an id, or undefined. */
  chatFor(bot: BotAccount, id: number): ChatState | undefined {
    return id < 0 ? this.groups.get(id) : this.#privateChats.get(`${bot.user.id}:${id}`);
  }

  nextQueryId(): string {
    this.#lastQueryId += 1;
    return String(this.#lastQueryId);
  }

  /** Stores a message of a bot. It ends a visible draft, as in Telegram's apps. */
  postAsBot(bot: BotAccount, chat: ChatState, content: NewMessage): ChatMessage {
    chat.shownDraft = undefined;
    chat.lastBotToSpeak = bot.user.id;
    return this.#post(chat, bot.user, content);
  }

  /** Stores a message of a person and queues it for every bot that may see it. */
  postAsPerson(chat: ChatState, person: User, content: NewMessage): PostedMessage {
    const message = this.#post(chat, person, content);
    return { message, updateIds: this.announce(chat, message, "message") };
  }

  /** Queues a message for each bot in the chat that may see it. Returns the update ids by bot id. */
  announce(chat: ChatState, message: ChatMessage, kind: "message" | "edited_message"): Map<number, number> {
    const updateIds = new Map<number, number>();
    for (const bot of this.#botsIn(chat)) {
      if (message.from.id === bot.user.id || !isMeantForBot(chat, message, bot.user)) continue;
      const id = bot.updates.push(kind, toWire(chat, message, bot.user.id));
      if (id !== undefined) updateIds.set(bot.user.id, id);
    }
    return updateIds;
  }

  /** Queues any update for each bot in the chat, as built for that bot. */
  notify(chat: ChatState, kind: string, build: (bot: BotAccount) => unknown): Map<number, number> {
    const updateIds = new Map<number, number>();
    for (const bot of this.#botsIn(chat)) {
      const payload = build(bot);
      const id = payload === undefined ? undefined : bot.updates.push(kind, payload);
      if (id !== undefined) updateIds.set(bot.user.id, id);
    }
    return updateIds;
  }

  /** Tells a bot that its own membership changed. */
  changeMembership(chat: ChatState, bot: BotAccount, by: User, from: string, to: string): void {
    const user = wireUser(bot.user);
    bot.updates.push("my_chat_member", {
      chat: toWireChat(chat),
      from: wireUser(by),
      date: Math.floor(this.now() / 1_000),
      old_chat_member: { user, status: from, ...(from === "kicked" && { until_date: 0 }) },
      new_chat_member: { user, status: to, ...(to === "kicked" && { until_date: 0 }) },
    });
  }

  *#botsIn(chat: ChatState): Generator<BotAccount> {
    for (const bot of this.bots.values()) {
      const status = chat.bots.get(bot.user.id);
      if (status !== undefined && status !== "left" && status !== "kicked") yield bot;
    }
  }

  #post(chat: ChatState, from: User, content: NewMessage): ChatMessage {
    const { threadId, silent = false, ...rest } = content;
    const thread = threadId ?? replyThread(chat, content.replyTo);
    return chat.append({
      ...rest,
      from,
      sentAt: this.now(),
      silent,
      ...(thread !== undefined && { threadId: thread }),
      inTopic: thread !== undefined && chat.topics.has(thread),
    });
  }
}

export interface PostedMessage {
  readonly message: ChatMessage;
  /** The update each bot got, by bot id; a bot that may not see the message has none. */
  readonly updateIds: ReadonlyMap<number, number>;
}

/**
 * A reply stays in the topic of what it answers. In a supergroup without topics it carries the id of the first message
 * of the chain as its thread: a thread id alone does not make a topic.
 */
function replyThread(chat: ChatState, replyTo: number | undefined): number | undefined {
  const answered = replyTo === undefined ? undefined : chat.find(replyTo);
  if (answered === undefined || chat.kind !== "supergroup") return answered?.inTopic ? answered.threadId : undefined;
  if (chat.isForum) return answered.inTopic ? answered.threadId : undefined;
  return answered.threadId ?? answered.id;
}
