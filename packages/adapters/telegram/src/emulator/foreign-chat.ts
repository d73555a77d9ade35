import type { Message, User } from "grammy/types";
import { detectEntities } from "./detect-entities.ts";
import { wireUser } from "./wire.ts";
import type { BotAccount, GuestQuery, World } from "./world.ts";

export interface CallOptions {
  /** The message that is answered with the call. */
  readonly replyTo?: { readonly from: User; readonly text: string };
  readonly at?: number;
}

/** A group that the bot is no member of. Its id may be that of another chat (core.telegram.org/bots/api#message, `guest_query_id`). */
export class ForeignChat {
  readonly #world: World;
  readonly #bot: BotAccount;
  readonly #chat: { readonly id: number; readonly type: "supergroup"; readonly title: string };
  #lastId = 100;

  constructor(world: World, bot: BotAccount, title: string, id: number) {
    this.#world = world;
    this.#bot = bot;
    this.#chat = { id, type: "supergroup", title };
  }

  /**
   * Somebody calls the bot by its handle (core.telegram.org/api/bots/guest-mode). Returns the query, or undefined where the bot is told of
   * nothing: it allows no guest mode, or has not asked for such updates.
   */
  call(person: User, words: string, { replyTo, at = this.#world.now() }: CallOptions = {}): string | undefined {
    const { user, updates } = this.#bot;
    if (user.supports_guest_queries !== true) return undefined;
    const text = `@${user.username} ${words}`;
    const queryId = this.#world.nextQueryId();
    const facts = (from: User, said: string) => {
      this.#lastId += 1;
      const entities = detectEntities(said);
      const date = Math.floor(at / 1_000);
      const base = { message_id: this.#lastId, from: wireUser(from), chat: this.#chat, date, text: said };
      return { ...base, ...(entities.length > 0 && { entities }) };
    };
    const answered = replyTo && { reply_to_message: facts(replyTo.from, replyTo.text) as Message };
    const message = { ...facts(person, text), guest_query_id: queryId, ...answered };
    this.#world.guestQueries.set(queryId, { botId: user.id });
    return updates.push("guest_message", message) === undefined ? undefined : queryId;
  }

  /** What the bot has answered. */
  answer(queryId: string): GuestQuery["answer"] {
    return this.#world.guestQueries.get(queryId)?.answer;
  }
}
