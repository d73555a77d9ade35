import type { Clock, Conversation, Log, MessageId, MessageRef } from "@talaria/protocol";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import type { ChatAliases } from "./chat-aliases.ts";
import { ClosedChats } from "./closed-chats.ts";
import { addressOf, toNumber } from "./message-id.ts";

/** The topic that every forum has. Messages reach it without a thread id and are refused with it; actions need it. */
const generalTopic = "1";

/** Topics that are gone and forums that are known; the oldest are forgotten first. */
const maxRemembered = 5_000;

/** Which chat and topic, as the Bot API takes it. */
export interface Place {
  readonly chat_id: number;
  readonly message_thread_id?: number;
}

export interface ExistingMessage {
  readonly chat_id: number;
  readonly message_id: number;
}

export interface ChatsDeps {
  readonly aliases: ChatAliases;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * What is known about chats beside what a conversation says: where groups moved, which topics are gone, who refuses us.
 * Every call about a chat passes here.
 */
export class Chats {
  readonly #deps: ChatsDeps;
  readonly #closed: ClosedChats;
  readonly #goneTopics = new Set<string>();
  readonly #forums = new Set<string>();

  constructor(deps: ChatsDeps) {
    this.#deps = deps;
    this.#closed = new ClosedChats(deps.clock);
  }

  /**
   * Calls with the place a new message or draft belongs to. Where Telegram answers, without having posted anything, that
   * the group moved or the topic is gone, it calls once more with the place that is left.
   */
  post<T>(conversation: Conversation, call: (place: Place) => Promise<T>): Promise<T> {
    return this.#try(conversation, (chatId) => call(this.#placeOf(conversation, chatId)));
  }

  /** The same for an action such as typing, which reaches the General topic of a forum only by its id. */
  act<T>(conversation: Conversation, call: (place: Place) => Promise<T>): Promise<T> {
    return this.#try(conversation, (chatId) => {
      const place = this.#placeOf(conversation, chatId);
      const isKnown = this.#forums.has(chatId) || conversation.threadId === generalTopic;
      const isGeneral = place.message_thread_id === undefined && place.chat_id < 0 && isKnown;
      return call(isGeneral ? { ...place, message_thread_id: Number(generalTopic) } : place);
    });
  }

  /** Calls with the address of a message. One that stayed behind when its group moved is `not_found`. */
  async about<T>(ref: MessageRef, call: (message: ExistingMessage) => Promise<T>): Promise<T> {
    await this.#deps.aliases.load();
    const { chatId, number } = addressOf(ref);
    if (this.#deps.aliases.currentIdOf(chatId) !== chatId)
      throw new GatewayError("the message is from before its group became a supergroup and can no longer be changed", {
        code: "not_found",
      });
    this.#closed.check(chatId);
    try {
      return await call({ chat_id: Number(chatId), message_id: number });
    } catch (error) {
      await this.#learnFrom(error, ref.conversation, chatId);
      throw error;
    }
  }

  /** The number of a message of ours or theirs in the chat of a place; undefined when it is in another one. */
  numberIn({ chat_id }: Place, conversation: Conversation, messageId: MessageId): number | undefined {
    try {
      const { chatId, number } = addressOf({ conversation, messageId });
      return chatId === String(chat_id) ? number : undefined;
    } catch {
      return undefined;
    }
  }

  /** Something came in from a chat: it is open to us. */
  heardFrom({ id, isForum }: { readonly id: string; readonly isForum: boolean }): void {
    this.#closed.open(id);
    if (isForum) remember(this.#forums, id);
  }

  /** We were told that a chat refuses us. */
  closedBy(chatId: string): void {
    this.#closed.close(chatId);
  }

  async #try<T>(conversation: Conversation, call: (chatId: string) => Promise<T>): Promise<T> {
    const { aliases } = this.#deps;
    await aliases.load();
    // A call can meet a group that moved, and then a topic that is gone.
    for (let ways = 0; ; ways += 1) {
      const chatId = aliases.currentIdOf(conversation.conversationId);
      this.#closed.check(chatId);
      try {
        return await call(chatId);
      } catch (error) {
        const hasAnotherWay = await this.#learnFrom(error, conversation, chatId);
        if (!hasAnotherWay || ways >= 2) throw error;
      }
    }
  }

  /** Whether the same call would now go elsewhere. */
  async #learnFrom(error: unknown, conversation: Conversation, chatId: string): Promise<boolean> {
    if (!isGatewayError(error)) return false;
    const { aliases, log } = this.#deps;
    const { reason, migratedTo } = error.details;
    if (reason === "closed") this.#closed.close(chatId);
    if (typeof migratedTo === "string") {
      aliases.learn({ from: conversation.conversationId, to: migratedTo });
      await aliases.keep().catch((failure: unknown) => log.warn({ error: failure }, "a group's move was not stored"));
      return aliases.currentIdOf(conversation.conversationId) !== chatId;
    }
    const { threadId } = conversation;
    if (reason !== "thread" || threadId === undefined || this.#isGone(chatId, threadId)) return false;
    log.warn({ conversationId: conversation.conversationId, threadId }, "a topic is gone; the chat itself takes over");
    remember(this.#goneTopics, `${chatId}/${threadId}`);
    return true;
  }

  #placeOf({ threadId }: Conversation, chatId: string): Place {
    const chat_id = toNumber(chatId, "conversation");
    const isGeneral = threadId === generalTopic && chat_id < 0;
    if (threadId === undefined || isGeneral || this.#isGone(chatId, threadId)) return { chat_id };
    return { chat_id, message_thread_id: toNumber(threadId, "thread") };
  }

  #isGone(chatId: string, threadId: string): boolean {
    return this.#goneTopics.has(`${chatId}/${threadId}`);
  }
}

function remember(set: Set<string>, value: string): void {
  set.add(value);
  for (const oldest of set) {
    if (set.size <= maxRemembered) return;
    set.delete(oldest);
  }
}
