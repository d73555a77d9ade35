import type { AdapterDeps, AdapterHost } from "@talaria/adapter";
import { handOver, noteUnreadable } from "@talaria/adapter-kit";
import type { InboundEvent } from "@talaria/protocol";
import { ofOurs, unknownAnswered } from "../answered.ts";
import { Arrivals } from "./arrivals.ts";
import { timeOf, toEvent, type WebAccount } from "./inbound.ts";
import { eventIdOf } from "./jids.ts";
import type { WebMemory } from "./memory.ts";
import type { MessageNode, WebMessage } from "./socket.ts";

/** With more waiting than this the connection is ended: what comes next then waits at WhatsApp. */
const mostWaiting = 1_000;

export interface IntakeParts {
  readonly deps: AdapterDeps;
  readonly host: AdapterHost;
  readonly memory: WebMemory;
  readonly signal: AbortSignal;
}

/**
 * Hands messages to the host, one after the other. WhatsApp has been told already that they are here and will not send
 * them again, so one that the host rejects is handed over again and again until the account stops.
 */
export class WebIntake {
  readonly #parts: IntakeParts;
  readonly #arrivals: Arrivals;
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(parts: IntakeParts) {
    this.#parts = parts;
    this.#arrivals = new Arrivals(parts.deps.clock, parts.signal);
  }

  /** Keeps a place for the message of this frame, so that none is overtaken by one that came after it. */
  expect(frame: MessageNode, account: () => WebAccount): void {
    const arriving = this.#arrivals.expect(frame);
    if (arriving === undefined) return;
    this.#tail = this.#tail.then(async () => {
      const message = await arriving;
      if (message !== undefined) await this.#take(message, account()).finally(() => this.#end());
    });
  }

  /** False when too many wait: do not let more come in. */
  push(messages: readonly WebMessage[], account: WebAccount): boolean {
    for (const message of messages) {
      this.#waiting += 1;
      if (this.#arrivals.take(message)) continue;
      this.#tail = this.#tail.then(() => this.#take(message, account)).finally(() => this.#end());
    }
    return this.#waiting < mostWaiting;
  }

  /** Resolves when nothing waits any more. Never rejects. */
  async idle(): Promise<void> {
    await this.#tail;
  }

  #end(): void {
    this.#waiting -= 1;
  }

  async #take(message: WebMessage, account: WebAccount): Promise<void> {
    const { deps, host, memory, signal } = this.#parts;
    const { log, clock } = deps;
    const nowMs = clock.now();
    if (timeOf(message, nowMs) < nowMs - deps.catchUpMs)
      return log.info({}, "a message from before the catch-up time was left out");
    const converted = toEvent(message, { ...account, nameOf: (id) => memory.nameOf(id) }, nowMs);
    const event = "reason" in converted ? converted : await this.#answering(converted, account);
    if ("reason" in event) {
      const { kind, reason } = event;
      if (kind !== undefined) return noteUnreadable(deps, kind, { eventId: eventIdOf(message.key), reason });
      return log.debug({ reason }, "a message was left out");
    }
    const { conversationId } = event.conversation;
    if (event.type === "message.created") {
      // Senders choose the ids: one who takes another's would speak in their place.
      const first = memory.find(conversationId, event.message.messageId);
      if (first !== undefined && first.authorId !== event.sender.userId && !message.key.fromMe)
        return log.warn({ eventId: event.id }, "a message under the id of somebody else's was left out");
      memory.note(conversationId, message.key, event.sender.userId, event.message.markdown);
      memory.noteName(event.sender);
    }
    // Anybody can name any message in these; the library does not check whose it is.
    if (event.type === "message.edited" || event.type === "message.deleted") {
      const messageId = event.type === "message.edited" ? event.message.messageId : event.messageId;
      if (memory.find(conversationId, messageId)?.authorId !== event.sender.userId)
        return log.info({ eventId: event.id }, "a change of a message whose author is not known was left out");
    }
    try {
      await handOver(event, { host, clock, log }, signal);
    } catch {
      log.error({ eventId: event.id }, "a message was lost: the account stopped before it could be recorded");
    }
  }

  /** With what it answers, which whoever quotes sends along. Without, it is looked up; nothing waits for a store that is away. */
  async #answering(event: InboundEvent, { selfIds }: WebAccount): Promise<InboundEvent> {
    if (event.type !== "message.created") return event;
    const { quote, replyTo, repliesToSelf } = event.message;
    if (quote !== undefined || replyTo === undefined) return event;
    const found = await this.#parts.host.heard(event.conversation, replyTo).catch(() => undefined);
    const [ourId = ""] = selfIds;
    const known = found?.own === true ? { ...found, ...ofOurs(ourId) } : found;
    return { ...event, message: { ...event.message, quote: known ?? unknownAnswered(repliesToSelf) } };
  }
}
