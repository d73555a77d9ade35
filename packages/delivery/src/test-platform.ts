import type { Adapter, Capabilities } from "@talaria/adapter";
import {
  type AccountId,
  brandAs,
  type Choice,
  type Clock,
  type Conversation,
  type ConversationId,
  GatewayError,
  instantOf,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
  type SentMessage,
} from "@talaria/protocol";

export const accountId = brandAs<AccountId>("acct");

export function conversationOf(name: string): Conversation {
  return { accountId, platform: "loopback", conversationId: brandAs<ConversationId>(name), kind: "direct" };
}

const plain: Capabilities = {
  maxTextLength: 100,
  formatting: { headings: false, tables: false, codeBlocks: false, links: false },
  conversationPace: { burst: 3, refillMs: 100 },
  idempotentSend: false,
  edit: { minIntervalMs: 1_000 },
  typing: { lastsMs: 5_000 },
  send: { maxBytes: 1_000, maxPerMessage: 1, maxCaptionLength: 1_000 },
};

export interface Call {
  readonly kind: "send" | "edit" | "delete" | "typing" | "find";
  readonly conversation: ConversationId;
  readonly text: string;
  readonly at: number;
  readonly message?: OutboundMessage;
}

/** What the platform does with a call: an error before or after its effect, or nothing special. */
export type Outcome = "ok" | "lost-before" | "lost-after" | "hang-before" | "hang-after" | GatewayError;

/** Undefined takes one away. */
export type CapabilityChanges = { readonly [Name in keyof Capabilities]?: Capabilities[Name] | undefined };

/** A platform in memory, on which every call can be made to fail. */
export class TestPlatform implements Adapter {
  readonly id = accountId;
  readonly platform = "loopback";
  readonly holding = "leased";
  readonly capabilities: Capabilities;
  readonly calls: Call[] = [];
  /** What readers see, by message id. */
  readonly messages = new Map<MessageId, { conversation: ConversationId; text: string; buttons: string[] }>();
  decide: (kind: Call["kind"], conversation: Conversation, text: string) => Outcome | Promise<Outcome> = () => "ok";
  readonly #clock: Clock;
  #posted = 0;
  readonly #known = new Map<string, MessageId>();
  readonly findSent?: NonNullable<Adapter["findSent"]>;

  constructor(clock: Clock, changes: CapabilityChanges = {}, { finds = false }: { readonly finds?: boolean } = {}) {
    this.#clock = clock;
    if (finds) this.findSent = (message) => this.#find(message);
    this.capabilities = { ...plain, ...changes } as Capabilities;
  }

  /** After how many calls it was told that one of them had reached the platform. */
  readonly reachedAfter: number[] = [];

  async start(): Promise<void> {}
  async stop(): Promise<void> {}

  reached(): void {
    this.reachedAfter.push(this.calls.length);
  }

  async send(message: OutboundMessage): Promise<SentMessage> {
    const { conversation, markdown, deliveryKey, choices } = message;
    const known = this.capabilities.idempotentSend ? this.#known.get(deliveryKey) : undefined;
    if (known === undefined) this.#posted += 1;
    const messageId = known ?? brandAs<MessageId>(`m${this.#posted}`);
    await this.#call("send", conversation, markdown, message, () => {
      if (known !== undefined) return;
      this.#known.set(deliveryKey, messageId);
      this.messages.set(messageId, {
        ...{ conversation: conversation.conversationId, text: markdown },
        buttons: (choices ?? []).map(({ label }) => label),
      });
    });
    return { conversation, messageId, sentAt: instantOf(this.#clock.now()) };
  }

  async edit(
    { conversation, messageId }: MessageRef,
    markdown: string,
    _: AbortSignal,
    choices: readonly Choice[] = [],
  ): Promise<void> {
    await this.#call("edit", conversation, markdown, undefined, () => {
      const found = this.messages.get(messageId);
      if (found === undefined) throw new GatewayError("no such message", { code: "not_found" });
      found.text = markdown;
      found.buttons = choices.map(({ label }) => label);
    });
  }

  async delete({ conversation, messageId }: MessageRef): Promise<void> {
    await this.#call("delete", conversation, "", undefined, () => this.messages.delete(messageId));
  }

  async setTyping(conversation: Conversation): Promise<void> {
    await this.#call("typing", conversation, "", undefined, () => undefined);
  }

  /** Forgets the keys of what was sent before. */
  forgetKeys(): void {
    this.#known.clear();
  }

  /** Texts in a conversation as readers see them. */
  shown(conversation: string): string[] {
    return [...this.messages.values()].filter((one) => one.conversation === conversation).map(({ text }) => text);
  }

  count(kind: Call["kind"]): number {
    return this.calls.filter((call) => call.kind === kind).length;
  }

  async #find({ conversation, markdown, deliveryKey }: OutboundMessage): Promise<SentMessage | undefined> {
    await this.#call("find", conversation, markdown, undefined, () => undefined);
    const messageId = this.#known.get(deliveryKey);
    return messageId && { conversation, messageId, sentAt: instantOf(this.#clock.now()) };
  }

  async #call(
    kind: Call["kind"],
    conversation: Conversation,
    text: string,
    message: OutboundMessage | undefined,
    effect: () => void,
  ): Promise<void> {
    const at = this.#clock.now();
    this.calls.push({ kind, conversation: conversation.conversationId, text, at, ...(message ? { message } : {}) });
    const outcome = await this.decide(kind, conversation, text);
    if (outcome instanceof GatewayError) throw outcome;
    if (outcome === "hang-before") await new Promise(() => undefined);
    if (outcome === "lost-before") throw new GatewayError("connection lost", { code: "unavailable" });
    effect();
    if (outcome === "hang-after") await new Promise(() => undefined);
    if (outcome === "lost-after") throw new GatewayError("connection lost", { code: "unavailable" });
  }
}
