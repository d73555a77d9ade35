import type { AdapterDeps, AdapterHost } from "@talaria/adapter";
import { noteUnreadable } from "@talaria/adapter-kit";
import { brandAs, GatewayError, instantOf, type MessageId, type Quote } from "@talaria/protocol";
import { z } from "zod";
import { ofOurs, unknownAnswered } from "../answered.ts";
import { isIncomplete } from "./content.ts";
import { conversationWith, timeOf, toEvent, toReceipt } from "./inbound.ts";
import type { CloudMemory } from "./memory.ts";
import {
  type CloudChange,
  type CloudMessage,
  cloudMessageSchema,
  cloudStatusSchema,
  readNotification,
} from "./payload.ts";

const identified = z.object({ id: z.string().max(256) });

/** Meta bundles up to this many updates. */
const maxItems = 1_000;

export interface IntakeDeps {
  readonly deps: AdapterDeps;
  readonly host: AdapterHost;
  readonly phoneNumberId: string;
  readonly memory: CloudMemory;
}

/** Takes what Meta posts and hands it to the host. */
export class CloudIntake {
  readonly #parts: IntakeDeps;

  constructor(parts: IntakeDeps) {
    this.#parts = parts;
  }

  /**
   * Hands over one notification, item by item in its order, and stops at the first the host rejects: the whole comes
   * again then, and what was recorded is known by its id. Throws `invalid_request` for something else than a notification
   * and `forbidden` for one that is for other numbers only. An item that can't be read is
   * counted, logged and left out: the next attempt would bring the same.
   */
  async accept(notification: unknown): Promise<void> {
    const { phoneNumberId, deps } = this.#parts;
    const read = readNotification(notification);
    if (read === undefined)
      throw new GatewayError("the body is not a notification of a WhatsApp business account", {
        code: "invalid_request",
      });
    const { changes, unreadable } = read;
    if (unreadable > 0) noteUnreadable(deps, "change", { count: unreadable });
    const ours = changes.filter(({ metadata }) => metadata.phone_number_id === phoneNumberId);
    if (ours.length < changes.length) {
      deps.log.warn({ refused: changes.length - ours.length }, "events of another number were refused");
      if (ours.length === 0)
        throw new GatewayError("the events belong to another phone number than this account's", { code: "forbidden" });
    }
    const items = ours.reduce(
      (sum, { messages, statuses }) => sum + (messages?.length ?? 0) + (statuses?.length ?? 0),
      0,
    );
    if (items > maxItems)
      throw new GatewayError(`a notification has more than ${maxItems} items`, { code: "too_large" });
    for (const change of ours) await this.#takeChange(change);
  }

  async #takeChange(change: CloudChange): Promise<void> {
    for (const item of change.messages ?? []) await this.#takeMessage(item, change);
    for (const item of change.statuses ?? []) await this.#takeStatus(item);
  }

  async #takeMessage(item: unknown, change: CloudChange): Promise<void> {
    const { deps, memory, host } = this.#parts;
    const { log } = deps;
    const nowMs = deps.clock.now();
    const { data: message } = cloudMessageSchema.safeParse(item);
    if (message === undefined) return noteUnreadable(deps, "message", idOf(item));
    if (timeOf(message.timestamp, nowMs) < nowMs - deps.catchUpMs)
      return log.warn({ eventId: message.id }, "a message from before the catch-up time was left out");
    const quote = await this.#answered(message);
    const facts = { accountId: deps.id, nowMs, contacts: change.contacts, quoteOf: () => quote };
    const event = toEvent(message, facts);
    if ("reason" in event) {
      const { kind, reason } = event;
      if (kind !== undefined) return noteUnreadable(deps, kind, { eventId: message.id, reason });
      return log.info({ eventId: message.id, reason }, "a message was left out");
    }
    if (isIncomplete(message)) noteUnreadable(deps, message.type, { eventId: message.id });
    await host.accept(event);
    const { userId, displayName } = event.sender;
    if (event.type === "message.created" || event.type === "action.invoked") memory.noteInbound(userId, message.id);
    if (event.type !== "message.created" && event.type !== "message.edited") return;
    const { messageId, markdown, attachments } = event.message;
    const files = attachments.length === 0 ? {} : { attachments };
    memory.noteText(messageId, { userId, displayName, markdown, ...files });
  }

  /** What a message answers: as this process remembers it, else as it was recorded or sent. Meta tells only its id. */
  async #answered({ context, edit, from, from_user_id }: CloudMessage): Promise<Quote | undefined> {
    const { deps, memory, host, phoneNumberId } = this.#parts;
    const answered = edit === undefined ? context : edit.message.context;
    const id = answered?.id;
    const person = from ?? from_user_id;
    if (id === undefined || person === undefined) return undefined;
    const quote = memory.quoteOf(id) ?? (await host.heard(conversationWith(person, deps.id), brandAs<MessageId>(id)));
    if (quote === undefined) return unknownAnswered(answered?.from !== undefined && answered.from !== person);
    return quote.own === true ? { ...quote, ...ofOurs(phoneNumberId) } : quote;
  }

  async #takeStatus(item: unknown): Promise<void> {
    const { deps, memory, host } = this.#parts;
    const nowMs = deps.clock.now();
    const { data: status } = cloudStatusSchema.safeParse(item);
    if (status === undefined) return noteUnreadable(deps, "status", idOf(item));
    const person = status.recipient_id ?? status.recipient_user_id;
    const key = status.biz_opaque_callback_data;
    const receipt = toReceipt(status, deps.id, nowMs);
    if (person !== undefined && key !== undefined && status.status !== "failed") {
      const conversation = conversationWith(person, deps.id);
      const sentAt = instantOf(timeOf(status.timestamp, nowMs));
      memory.noteSent(key, { conversation, messageId: brandAs<MessageId>(status.id), sentAt });
    }
    if (receipt !== undefined) await host.receipt(receipt);
  }
}

/** For the log: what can't be read may still have an id. */
function idOf(item: unknown): { readonly eventId?: string } {
  const { data } = identified.safeParse(item);
  return data === undefined ? {} : { eventId: data.id };
}
