import {
  type AccountId,
  brandAs,
  type Conversation,
  type ConversationId,
  type MediaRef,
  type MessageId,
  type MessageRef,
  type OutboundMessage,
} from "@talaria/protocol";
import { adapterDeps, type DepsFacts, hurriedClock, messageTo, startAdapter } from "@talaria/testkit";
import { createTelegramAdapter } from "../adapter.ts";
import { telegramConfigSchema } from "../config.ts";
import { startTelegramServer, type TelegramServerOptions } from "../emulator/index.ts";

export const accountId = brandAs<AccountId>("telegram-main");
export const { signal } = new AbortController();

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const files: Record<string, Uint8Array> = {
  picture: Buffer.from(pixel, "base64"),
  small: new Uint8Array(1000).fill(7),
  large: new Uint8Array(10 * 1024 * 1024 + 1),
};

export interface WorldFacts extends DepsFacts {
  readonly config?: object;
  readonly server?: TelegramServerOptions;
}

/** A server, a started adapter and Ada's private chat; all gone when the test is over. */
export async function open({ config = {}, server: serverOptions = {}, ...deps }: WorldFacts = {}) {
  const server = await startTelegramServer(serverOptions);
  const settings = telegramConfigSchema.parse({ token: server.token, apiRoot: server.apiRoot, ...config });
  const known = adapterDeps({ id: accountId, clock: hurriedClock, files, ...deps });
  const adapter = createTelegramAdapter(settings, known);
  const ada = server.user({ first_name: "Ada" });
  const chat = server.privateChat(ada);
  return { server, settings, ada, chat, ...(await startAdapter(adapter, server)) };
}

export function conversation(chatId: number, more: Partial<Conversation> = {}): Conversation {
  return {
    accountId,
    platform: "telegram",
    conversationId: brandAs<ConversationId>(String(chatId)),
    kind: chatId > 0 ? "direct" : "group",
    ...more,
  };
}

export function message(chatId: number, markdown: string, more: Partial<OutboundMessage> = {}): OutboundMessage {
  return messageTo(conversation(chatId), markdown, more);
}

export function refTo(chatId: number, messageId: number | string): MessageRef {
  return { conversation: conversation(chatId), messageId: brandAs<MessageId>(String(messageId)) };
}

export function attached(ref: string, mimeType: string, name = "a b.png") {
  return [{ ref: brandAs<MediaRef>(ref), mimeType, name }];
}
