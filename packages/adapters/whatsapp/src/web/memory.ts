import { BoundedMap } from "@talaria/adapter-kit";
import type { Sender } from "@talaria/protocol";
import type { WebKey } from "./socket.ts";

/** Messages of all conversations whose key and words are known. */
const rememberedMessages = 5_000;
const rememberedConversations = 5_000;
const rememberedNames = 10_000;
const quoteLength = 1_000;

/** A message as the protocol wants it when it is quoted. */
export interface KnownMessage {
  readonly key: WebKey;
  readonly authorId: string;
  readonly message: { readonly conversation: string };
}

/** What is needed to quote, react to and mark a message as read. Bounded; a restart empties it. */
export class WebMemory {
  readonly #messages = new BoundedMap<string, KnownMessage>(rememberedMessages);
  readonly #names = new BoundedMap<string, string>(rememberedNames);
  readonly #newest = new BoundedMap<string, WebKey>(rememberedConversations);

  /** What somebody calls themselves. */
  noteName({ userId, displayName }: Pick<Sender, "userId" | "displayName">): void {
    this.#names.set(userId, displayName);
  }

  nameOf(userId: string): string | undefined {
    return this.#names.get(userId);
  }

  note(conversationId: string, key: WebKey, authorId: string, words: string): void {
    const known = { key, authorId, message: { conversation: words.slice(0, quoteLength) } };
    this.#messages.set(`${conversationId} ${key.id}`, known);
    if (!key.fromMe) this.#newest.set(conversationId, key);
  }

  find(conversationId: string, messageId: string): KnownMessage | undefined {
    return this.#messages.get(`${conversationId} ${messageId}`);
  }

  newestIn(conversationId: string): WebKey | undefined {
    return this.#newest.get(conversationId);
  }
}
