import type { WebKey } from "./sock.ts";

/** Messages of all conversations whose key and words are known. */
const rememberedMessages = 5_000;
const rememberedConversations = 5_000;
const quoteLength = 1_000;

/** A message as the protocol wants it when it is quoted. */
export interface KnownMessage {
  readonly key: WebKey;
  readonly authorId: string;
  readonly message: { readonly conversation: string };
}

/** What is needed to quote, react to and mark a message as read. Bounded; a restart empties it. */
export class WebMemory {
  readonly #messages = new Map<string, KnownMessage>();
  readonly #newest = new Map<string, WebKey>();

  note(conversationId: string, key: WebKey, authorId: string, words: string): void {
    const known = { key, authorId, message: { conversation: words.slice(0, quoteLength) } };
    keep(this.#messages, `${conversationId} ${key.id}`, known, rememberedMessages);
    if (!key.fromMe) keep(this.#newest, conversationId, key, rememberedConversations);
  }

  find(conversationId: string, messageId: string): KnownMessage | undefined {
    return this.#messages.get(`${conversationId} ${messageId}`);
  }

  newestIn(conversationId: string): WebKey | undefined {
    return this.#newest.get(conversationId);
  }
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
