import { brandAs, type Choice, type Conversation, GatewayError, type MessageId } from "@talaria/protocol";
import type { PostedMessage, SendFailure } from "./harness.ts";

/** One thing the platform hands over: a new message or a changed one. */
export interface LoopbackDelivery {
  /** Names the delivery; the same for each repetition. */
  readonly deliveryId: string;
  readonly change: "created" | "edited" | "pressed";
  readonly messageId: string;
  readonly userId: string;
  readonly text: string;
  readonly threadId?: string;
  readonly media?: Uint8Array;
  /** Of a press: the choice. */
  readonly choiceId?: string;
}

/** The content of one message. */
export interface LoopbackPost {
  readonly deliveryKey: string;
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly choices: readonly Choice[];
}

/** The id of the account that a loopback adapter speaks as. */
export const loopbackSelf = "loopback-self";

/**
 * A chat platform in memory. It hands over deliveries one at a time and in order, and repeats the first one until it is
 * acknowledged.
 */
export class LoopbackPlatform {
  readonly #queue: LoopbackDelivery[] = [];
  readonly #posted: PostedMessage[] = [];
  readonly #media = new Map<string, Uint8Array>();
  readonly #failures: SendFailure[] = [];
  readonly #acknowledged = new Set<string>();
  readonly #choices = new Map<string, readonly Choice[]>();
  readonly #keys = new Map<string, MessageId>();
  readonly #reactions = new Map<string, Set<string>>();
  #typings = 0;
  #count = 0;
  #news = Promise.withResolvers<void>();

  /** Queues a message, `times` times, and returns it. */
  deliver(message: Omit<LoopbackDelivery, "deliveryId" | "messageId" | "change">, times = 1): LoopbackDelivery {
    const messageId = `m${++this.#count}`;
    if (message.media) this.#media.set(messageId, message.media);
    const delivery: LoopbackDelivery = { ...message, messageId, change: "created", deliveryId: `${messageId}-created` };
    for (let n = 0; n < times; n += 1) this.#queue.push(delivery);
    this.#news.resolve();
    return delivery;
  }

  /** Queues a change of an earlier message. */
  change(messageId: string, userId: string, text: string): void {
    const deliveryId = `${messageId}-edited-${++this.#count}`;
    this.#queue.push({ deliveryId, change: "edited", messageId, userId, text });
    this.#news.resolve();
  }

  /** Queues the press of a button of a message that was posted. */
  press(messageId: string, userId: string, label: string): void {
    const choice = this.#choices.get(messageId)?.find((one) => one.label === label);
    if (choice === undefined) throw new Error(`no button ${label}`);
    const deliveryId = `${messageId}-pressed-${++this.#count}`;
    this.#queue.push({ deliveryId, change: "pressed", messageId, userId, text: label, choiceId: choice.id });
    this.#news.resolve();
  }

  /** Waits for the first delivery that is not acknowledged. Rejects when the connection drops or `signal` is aborted. */
  async next(signal: AbortSignal): Promise<LoopbackDelivery> {
    for (;;) {
      signal.throwIfAborted();
      const [first] = this.#queue;
      if (first) return first;
      const news = Promise.withResolvers<void>();
      this.#news = news;
      const stop = () => news.reject(signal.reason);
      signal.addEventListener("abort", stop);
      await news.promise.finally(() => signal.removeEventListener("abort", stop));
    }
  }

  /** Takes the first delivery off the queue. */
  acknowledge(delivery: LoopbackDelivery): void {
    if (this.#queue[0] === delivery) this.#queue.shift();
    this.#acknowledged.add(delivery.deliveryId);
  }

  isAcknowledged(delivery: LoopbackDelivery): boolean {
    return this.#acknowledged.has(delivery.deliveryId);
  }

  showTyping(): void {
    this.#typings += 1;
  }

  typings(): number {
    return this.#typings;
  }

  react(messageId: string, emoji: string): void {
    this.#reactions.set(messageId, new Set([...this.reactions(messageId), emoji]));
  }

  unreact(messageId: string, emoji: string): void {
    this.#reactions.get(messageId)?.delete(emoji);
  }

  reactions(messageId: string): readonly string[] {
    return [...(this.#reactions.get(messageId) ?? [])];
  }

  dropConnection(): void {
    this.#news.reject(new GatewayError("the loopback connection dropped", { code: "unavailable" }));
  }

  failNextSend(failure: SendFailure): void {
    this.#failures.push(failure);
  }

  /** Posts one message and returns its id; if its key was posted before, the id it has. */
  async post(conversation: Conversation, post: LoopbackPost, signal: AbortSignal): Promise<MessageId> {
    if (signal.aborted) throw new GatewayError("aborted before the post", { code: "aborted", effect: "none" });
    const failure = this.#failures.shift();
    if (failure !== undefined && failure.kind !== "connection_lost") await refuse(failure, signal);
    const { threadId } = conversation;
    const known = this.#keys.get(post.deliveryKey);
    if (known !== undefined) return known;
    const messageId = brandAs<MessageId>(`m${++this.#count}`);
    const { text, files, choices } = post;
    this.#keys.set(post.deliveryKey, messageId);
    this.#choices.set(messageId, choices);
    const buttons = choices.map(({ label }) => label);
    this.#posted.push({ messageId, text, files, buttons, ...(threadId === undefined ? {} : { threadId }) });
    if (failure !== undefined) throw new GatewayError("the answer got lost", { code: "unavailable" });
    return messageId;
  }

  edit(messageId: string, text: string, choices: readonly Choice[]): void {
    const at = this.#find(messageId);
    this.#choices.set(messageId, choices);
    const buttons = choices.map(({ label }) => label);
    this.#posted.splice(at, 1, { ...(this.#posted[at] as PostedMessage), text, buttons });
  }

  delete(messageId: string): void {
    this.#posted.splice(this.#find(messageId), 1);
  }

  open(messageId: string): Uint8Array {
    const bytes = this.#media.get(messageId);
    if (bytes === undefined) throw new GatewayError("no such media", { code: "not_found" });
    return bytes;
  }

  posted(): readonly PostedMessage[] {
    return [...this.#posted];
  }

  #find(messageId: string): number {
    const at = this.#posted.findIndex((posted) => posted.messageId === messageId);
    if (at === -1) throw new GatewayError("no such message", { code: "not_found" });
    return at;
  }
}

async function refuse(failure: SendFailure, signal: AbortSignal): Promise<never> {
  switch (failure.kind) {
    case "rate_limited":
      throw new GatewayError("slow down", { code: "rate_limited", retryAfterMs: failure.retryAfterMs });
    case "unauthorized":
      throw new GatewayError("who are you?", { code: "unauthorized" });
    case "stalled":
      return new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(new GatewayError("aborted", { code: "aborted" })));
      });
    case "connection_lost":
      throw new GatewayError("the connection broke", { code: "unavailable" });
    default:
      return failure satisfies never;
  }
}
