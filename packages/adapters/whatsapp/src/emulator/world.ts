import type { WebhookRetry } from "@talaria/testkit";
import { type ChatState, newMessageId } from "./chat-state.ts";
import { titleOf } from "./graph-error.ts";
import { MediaStore } from "./media-store.ts";
import type { SeenWhatsappMessage } from "./seen-message.ts";
import { type Update, WebhookPusher } from "./webhook-pusher.ts";

export interface WorldOptions {
  readonly phoneNumberId: string;
  readonly displayNumber: string;
  readonly appSecret: string;
  readonly now: () => number;
  readonly retry: WebhookRetry;
}

export interface FailedStatus {
  readonly code: number;
  readonly details: string;
}

/** Everything on the server: people, their conversations, files, and what goes to the callback. */
export class WhatsappWorld {
  readonly options: WorldOptions;
  readonly chats = new Map<string, ChatState>();
  readonly media: MediaStore;
  readonly pusher: WebhookPusher;

  constructor(options: WorldOptions) {
    this.options = options;
    this.media = new MediaStore(options.now);
    this.pusher = new WebhookPusher({
      appSecret: options.appSecret,
      retry: options.retry,
      notificationOf: (updates) => this.notificationOf(updates),
    });
  }

  /** By number or business-scoped id. */
  chatOf(id: string): ChatState | undefined {
    return this.chats.get(id) ?? [...this.chats.values()].find(({ scopedId }) => scopedId === id);
  }

  /** A message of a person, shown in the conversation and pushed. `content` has the type and its part. */
  say(chat: ChatState, message: Partial<SeenWhatsappMessage>, content: object): SeenWhatsappMessage {
    const at = this.options.now();
    const shown: SeenWhatsappMessage = {
      text: "",
      ...message,
      id: newMessageId(),
      byBusiness: false,
      at,
      reactions: {},
    };
    chat.messages.push(shown);
    chat.lastWroteAt = at;
    this.pushMessage(chat, { id: shown.id, timestamp: secondsOf(at), ...content });
    return shown;
  }

  pushMessage(chat: ChatState, message: { readonly id: string; readonly [part: string]: unknown }): void {
    const who = chat.hidesNumber ? {} : { from: chat.personId };
    this.pusher.push({
      lane: chat.personId,
      contacts: [contactOf(chat)],
      messages: [{ ...who, from_user_id: chat.scopedId, ...message }],
      ids: [message.id],
    });
  }

  /** Meta gives no order among statuses and messages: they go side by side. */
  pushStatus(chat: ChatState, id: string, status: string, more: { key?: string; failed?: FailedStatus } = {}): void {
    const { key, failed } = more;
    const errors = failed && [
      { code: failed.code, title: titleOf(failed.code), error_data: { details: failed.details } },
    ];
    this.pusher.push({
      lane: `statuses of ${chat.personId}`,
      statuses: [
        {
          id,
          status,
          timestamp: secondsOf(this.options.now()),
          ...(chat.hidesNumber ? {} : { recipient_id: chat.personId }),
          recipient_user_id: chat.scopedId,
          ...(key === undefined ? {} : { biz_opaque_callback_data: key }),
          ...(errors === undefined ? {} : { errors }),
        },
      ],
      ids: [],
    });
  }

  notificationOf(updates: readonly Update[]): object {
    const { phoneNumberId, displayNumber } = this.options;
    const entry = updates.map(({ messages, statuses, contacts }) => ({
      id: "100000000000001",
      changes: [
        {
          field: "messages",
          value: {
            messaging_product: "whatsapp",
            metadata: { display_phone_number: displayNumber, phone_number_id: phoneNumberId },
            ...(contacts === undefined ? {} : { contacts }),
            ...(messages === undefined ? {} : { messages }),
            ...(statuses === undefined ? {} : { statuses }),
          },
        },
      ],
    }));
    return { object: "whatsapp_business_account", entry };
  }
}

function contactOf({ personId, scopedId, name, hidesNumber }: ChatState): object {
  return { profile: { name }, user_id: scopedId, ...(hidesNumber ? {} : { wa_id: personId }) };
}

/** Meta writes times as texts of seconds. */
function secondsOf(ms: number): string {
  return String(Math.floor(ms / 1_000));
}
