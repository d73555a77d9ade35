import type { Quote, SentMessage } from "@talaria/protocol";

/** Conversations whose newest message is known. */
const rememberedPeople = 10_000;
const rememberedTexts = 2_000;
const rememberedSends = 2_000;
/** UTF-16 units of a text that is kept for quoting. */
const quoteLength = 1_000;

/**
 * What the Cloud API does not tell twice: which message of a person came last, what a quoted message said, which message
 * a delivery became. Bounded; a restart empties it, and then typing, quotes and the search are missing for a while.
 */
export class CloudMemory {
  readonly #newest = new Map<string, string>();
  readonly #texts = new Map<string, Quote>();
  readonly #sent = new Map<string, SentMessage>();

  /** A person wrote. Their newest message is what a typing indicator refers to. */
  noteInbound(personId: string, messageId: string): void {
    keep(this.#newest, personId, messageId, rememberedPeople);
  }

  newestOf(personId: string): string | undefined {
    return this.#newest.get(personId);
  }

  noteText(messageId: string, quote: Quote): void {
    const markdown = quote.markdown.slice(0, quoteLength).toWellFormed();
    if (markdown !== "") keep(this.#texts, messageId, { ...quote, markdown }, rememberedTexts);
  }

  quoteOf(messageId: string): Quote | undefined {
    return this.#texts.get(messageId);
  }

  /** A status named the delivery that a message came from. */
  noteSent(deliveryKey: string, sent: SentMessage): void {
    keep(this.#sent, deliveryKey, sent, rememberedSends);
  }

  sentAs(deliveryKey: string): SentMessage | undefined {
    return this.#sent.get(deliveryKey);
  }
}

/** The entry becomes the newest; the oldest goes when there are too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  const oldest = map.keys().next();
  if (!oldest.done) map.delete(oldest.value);
}
