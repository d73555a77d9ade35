import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Acceptance, AcceptOptions, Adapter, AdapterHost, ConnectionState } from "@talaria/adapter";
import {
  type Conversation,
  GatewayError,
  type InboundEvent,
  type InboundMessage,
  type MessageId,
  type Quote,
  type Receipt,
  type ReceivedMessage,
  type Sender,
} from "@talaria/protocol";

/** A host that remembers what it was handed and can refuse or hold it. */
export class RecordingHost implements AdapterHost {
  /** Every event of every `accept` call, in the order of the calls. */
  readonly offered: InboundEvent[] = [];
  /** The events that were recorded, in the order of recording, duplicates included. */
  readonly events: InboundEvent[] = [];
  readonly states: ConnectionState[] = [];
  /** Conversations that were told to be of a kind now. */
  readonly kinds: Conversation[] = [];
  /** Groups into which the account was brought. */
  readonly groups: { readonly conversation: Conversation; readonly by?: Sender }[] = [];
  /** The error behind the last report, if it had one. */
  #cause: Error | undefined;
  readonly receipts: Receipt[] = [];
  /** The reasons of everything that was left out. */
  readonly leftOutFor: string[] = [];
  /** As in the house where choices close: of the presses of one message the first is recorded, the others are known already. */
  takesOnePress = false;
  readonly #pressed = new Set<string>();
  /** Who may be heard; everybody at first. */
  allows: (from: Pick<InboundEvent, "conversation" | "sender">) => boolean = () => true;
  readonly #patienceMs: number;
  #rejections = 0;
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  async accept(event: InboundEvent, _options?: AcceptOptions): Promise<Acceptance> {
    this.offered.push(event);
    await this.#gate?.promise;
    if (this.#rejections > 0) {
      this.#rejections -= 1;
      throw new GatewayError("the host is told to refuse", { code: "unavailable" });
    }
    if (this.#isKnownPress(event)) return "duplicate";
    this.events.push(event);
    return "recorded";
  }

  #isKnownPress(event: InboundEvent): boolean {
    if (!this.takesOnePress || event.type !== "action.invoked") return false;
    const key = `${event.conversation.conversationId}/${event.messageId}`;
    return this.#pressed.size === this.#pressed.add(key).size;
  }

  async isAllowed(from: Pick<InboundEvent, "conversation" | "sender">): Promise<boolean> {
    return this.allows(from);
  }

  async kindChanged(conversation: Conversation): Promise<void> {
    this.kinds.push(conversation);
  }

  async added(conversation: Conversation, by?: Sender): Promise<void> {
    this.groups.push({ conversation, ...(by === undefined ? {} : { by }) });
  }

  async heard({ conversationId }: Conversation, messageId: MessageId): Promise<Quote | undefined> {
    const event = this.events.findLast(
      (one) =>
        "message" in one && one.message.messageId === messageId && one.conversation.conversationId === conversationId,
    );
    if (event === undefined || !("message" in event)) return undefined;
    return quoteOf(event.sender, event.message);
  }

  /** As the house does it: what was recorded is shown to its author and to its `recipients`. */
  async received(
    { sender }: Pick<InboundEvent, "sender">,
    messageIds: readonly MessageId[],
  ): Promise<ReceivedMessage | undefined> {
    const reader = sender.userId;
    for (const id of sender.assurance === "claimed" ? [] : messageIds) {
      const event = this.events.find(
        (one) =>
          one.type === "message.created" &&
          one.message.messageId === id &&
          (one.sender.userId === reader || (one.message.recipients ?? []).includes(reader)),
      );
      if (event !== undefined && "message" in event)
        return { conversation: event.conversation, sender: event.sender, quote: quoteOf(event.sender, event.message) };
    }
    return undefined;
  }

  leftOut(reason: string): void {
    this.leftOutFor.push(reason);
  }

  report(state: ConnectionState, cause?: Error): void {
    this.states.push(state);
    this.#cause = cause;
  }

  /** Starts an adapter on this host and fails with the cause if it does not connect. */
  async started(adapter: Adapter): Promise<void> {
    await adapter.start(this).catch((error: unknown) => {
      throw new Error(`start failed: ${because(error)}`, { cause: error });
    });
    const state = this.states.at(-1);
    if (state?.status !== "reconnecting" && state?.status !== "needs-operator") return;
    const said = state.status === "needs-operator" ? `, "${state.hint}"` : "";
    throw new Error(`start did not connect: ${state.status}, ${state.code}${said}: ${because(this.#cause)}`, {
      cause: this.#cause,
    });
  }

  async receipt(receipt: Receipt): Promise<void> {
    this.receipts.push(receipt);
  }

  /** The next `count` events are refused. */
  refuse(count: number): void {
    this.#rejections = count;
  }

  /** No event is recorded until the returned function is called. */
  hold(): () => void {
    const gate = Promise.withResolvers<void>();
    this.#gate = gate;
    return () => this.release();
  }

  /** Ends a `hold`. */
  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  /** Waits until `condition` holds and fails with `what` when that takes too long. */
  async until(condition: () => boolean, what: string): Promise<void> {
    const end = performance.now() + this.#patienceMs;
    while (!condition()) {
      if (performance.now() > end) assert.fail(`waited in vain until ${what}`);
      await delay(5);
    }
  }

  /** Waits long enough for something that should not happen to show itself. */
  async calm(): Promise<void> {
    await delay(Math.min(100, this.#patienceMs));
  }

  /** Waits for `count` recorded events and returns them all. */
  async recorded(count: number): Promise<readonly InboundEvent[]> {
    await this.until(() => this.events.length >= count, `${count} event(s) are recorded`);
    return this.events;
  }
}

function quoteOf({ userId, displayName }: Sender, { markdown, attachments }: InboundMessage): Quote {
  return { userId, displayName, markdown, ...(attachments.length === 0 ? {} : { attachments }) };
}

/** The messages of an error and of what caused it. */
function because(error: unknown): string {
  if (!(error instanceof Error)) return "no cause was reported";
  const own = "code" in error ? `${error.message} (${error.code})` : error.message;
  return error.cause === undefined ? own : `${own}, because ${because(error.cause)}`;
}
