import type { Adapter, AdapterDeps, AdapterHost, Capabilities, MediaSource } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Choice,
  type Clock,
  type Conversation,
  type ConversationId,
  type EventId,
  GatewayError,
  type InboundEvent,
  type InboundMessage,
  instantOf,
  isGatewayError,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
  type ThreadId,
  type UserId,
} from "@talaria/protocol";
import { type LoopbackDelivery, type LoopbackPlatform, loopbackSelf } from "./loopback-platform.ts";

const capabilities: Capabilities = {
  maxTextLength: 4_000,
  formatting: { headings: false, tables: false, codeBlocks: false, links: false },
  conversationPace: { burst: 100, refillMs: 1 },
  idempotentSend: true,
  edit: { minIntervalMs: 1 },
  typing: { lastsMs: 1_000 },
  receive: { maxBytes: 1_000_000 },
  send: { maxBytes: 1_000_000, maxPerMessage: 3, maxCaptionLength: 4_000 },
  choices: { max: 3, maxLabelLength: 40 },
};

/** Pause before connecting again, and before an event that the host refused is offered again. */
const pauseMs = 5;

/** The smallest complete adapter. Its platform is an object in the same process. */
export class LoopbackAdapter implements Adapter {
  readonly id: AccountId;
  readonly platform = "loopback";
  readonly capabilities = capabilities;
  readonly holding = "leased";
  readonly #world: LoopbackPlatform;
  readonly #clock: Clock;
  readonly #media: MediaSource;
  #stopping: AbortController | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor({ id, clock, media }: AdapterDeps, world: LoopbackPlatform) {
    this.id = id;
    this.#world = world;
    this.#clock = clock;
    this.#media = media;
  }

  async start(host: AdapterHost): Promise<void> {
    await this.#running;
    const stopping = new AbortController();
    this.#stopping = stopping;
    host.report({ status: "connecting" });
    host.report({ status: "connected" });
    this.#running = this.#run(host, stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping?.abort();
    await this.#running;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<SentMessage> {
    const { conversation, deliveryKey, markdown: text, attachments, choices = [] } = message;
    if (text.length > capabilities.maxTextLength) throw new GatewayError("too long", { code: "too_large" });
    const files = await Promise.all(
      attachments.map(async ({ ref, name }) => {
        const stream = await this.#media.open(ref, signal);
        return { name, bytes: await new Response(stream).bytes() };
      }),
    );
    const messageId = await this.#world.post(conversation, { deliveryKey, text, files, choices }, signal);
    return { conversation, messageId, sentAt: instantOf(this.#clock.now()) };
  }

  async edit(ref: MessageRef, markdown: string, _: AbortSignal, choices: readonly Choice[] = []): Promise<void> {
    this.#world.edit(ref.messageId, markdown, choices);
  }

  async react(ref: MessageRef, emoji: string): Promise<void> {
    this.#world.react(ref.messageId, emoji);
  }

  async unreact(ref: MessageRef, emoji: string): Promise<void> {
    this.#world.unreact(ref.messageId, emoji);
  }

  async setTyping(): Promise<void> {
    this.#world.showTyping();
  }

  async delete(ref: MessageRef): Promise<void> {
    this.#world.delete(ref.messageId);
  }

  async openMedia(ref: MediaRef): Promise<ReadableStream<Uint8Array>> {
    return new Blob([Buffer.from(this.#world.open(ref))]).stream();
  }

  async #run(host: AdapterHost, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const failure = await this.#takeOne(host, signal).catch((error: unknown) => error);
      if (signal.aborted || failure === undefined) continue;
      host.report({ status: "reconnecting", attempt: 1, code: isGatewayError(failure) ? failure.code : "internal" });
      await this.#clock.sleep(pauseMs, signal).catch(() => undefined);
      if (!signal.aborted) host.report({ status: "connected" });
    }
    host.report({ status: "stopped" });
  }

  /** Offers the first delivery, and acknowledges it when the host has recorded it. Rejects when the connection drops. */
  async #takeOne(host: AdapterHost, signal: AbortSignal): Promise<void> {
    const delivery = await this.#world.next(signal);
    if (await this.#offer(host, delivery)) this.#world.acknowledge(delivery);
    else await this.#clock.sleep(pauseMs, signal);
  }

  async #offer(host: AdapterHost, delivery: LoopbackDelivery): Promise<boolean> {
    return host.accept(toEvent(delivery, this.id, this.#clock.now())).then(
      () => true,
      () => false,
    );
  }
}

/** The conversation in which everything on a loopback platform happens. */
export function loopbackConversation(accountId: AccountId, threadId?: string): Conversation {
  return {
    accountId,
    platform: "loopback",
    conversationId: brandAs<ConversationId>("loop"),
    kind: "group",
    ...(threadId === undefined ? {} : { threadId: brandAs<ThreadId>(threadId) }),
  };
}

function toEvent(delivery: LoopbackDelivery, accountId: AccountId, now: number): InboundEvent {
  const { deliveryId, userId, threadId, change } = delivery;
  const base = {
    id: brandAs<EventId>(deliveryId),
    conversation: loopbackConversation(accountId, threadId),
    sender: {
      userId: brandAs<UserId>(userId),
      role: userId === loopbackSelf ? "self" : "person",
      displayName: userId,
      assurance: "platform",
    },
    occurredAt: instantOf(now),
    receivedAt: instantOf(now),
  } as const;
  if (change !== "pressed") return { ...base, type: `message.${change}`, message: toMessage(delivery) };
  const messageId = brandAs<MessageId>(delivery.messageId);
  return { ...base, type: "action.invoked", messageId, actionId: delivery.choiceId ?? "", label: delivery.text };
}

function toMessage({ messageId, text, media }: LoopbackDelivery): InboundMessage {
  return {
    messageId: brandAs<MessageId>(messageId),
    markdown: text.toWellFormed().replaceAll("\u0000", "\uFFFD"),
    attachments:
      media === undefined
        ? []
        : [{ kind: "file", mimeType: "application/octet-stream", ref: brandAs<MediaRef>(messageId) }],
    mentions: [],
    mentionsSelf: false,
    repliesToSelf: false,
  };
}
