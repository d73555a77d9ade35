import { BoundedMap } from "@talaria/adapter-kit";
import type { Quote, SentMessage } from "@talaria/protocol";

/** Conversations whose newest message is known. */
const rememberedPeople = 10_000;
const rememberedTexts = 2_000;
const rememberedSends = 2_000;
/** UTF-16 units of a text that is kept for quoting. */
const quoteLength = 1_000;

/**
 * What the Cloud API does not tell twice: which message of a person came last, what a quoted message was, which message
 * a delivery became. Bounded; a restart empties it, and then typing, quotes and the search are missing for a while.
 */
export class CloudMemory {
  readonly #newest = new BoundedMap<string, string>(rememberedPeople);
  readonly #texts = new BoundedMap<string, Quote>(rememberedTexts);
  readonly #sent = new BoundedMap<string, SentMessage>(rememberedSends);

  /** A person wrote. Their newest message is what a typing indicator refers to. */
  noteInbound(personId: string, messageId: string): void {
    this.#newest.set(personId, messageId);
  }

  newestOf(personId: string): string | undefined {
    return this.#newest.get(personId);
  }

  noteText(messageId: string, quote: Quote): void {
    const markdown = quote.markdown.slice(0, quoteLength).toWellFormed();
    if (markdown !== "" || quote.attachments !== undefined) this.#texts.set(messageId, { ...quote, markdown });
  }

  quoteOf(messageId: string): Quote | undefined {
    return this.#texts.get(messageId);
  }

  /** A status named the delivery that a message came from. */
  noteSent(deliveryKey: string, sent: SentMessage): void {
    this.#sent.set(deliveryKey, sent);
  }

  sentAs(deliveryKey: string): SentMessage | undefined {
    return this.#sent.get(deliveryKey);
  }
}
