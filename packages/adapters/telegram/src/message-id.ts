import { brandAs, GatewayError, type MessageId, type MessageRef } from "@talaria/protocol";

/**
 * Telegram counts the messages of each chat for itself. A conversation whose group became a supergroup has two counts:
 * messages of the supergroup are named `<number>@<chat>`, all others by their number alone.
 */
export function toMessageId(number: string | number, chatId: string, conversationId: string): MessageId {
  return brandAs<MessageId>(chatId === conversationId ? String(number) : `${number}@${chatId}`);
}

export interface MessageAddress {
  readonly chatId: string;
  readonly number: number;
}

/** Where a message is. Throws `not_found` for what cannot be the id of one. */
export function addressOf({ conversation, messageId }: MessageRef): MessageAddress {
  const [number = "", chatId = conversation.conversationId, ...rest] = messageId.split("@");
  if (rest.length > 0) throw notFound("message");
  toNumber(chatId, "conversation");
  return { chatId, number: toNumber(number, "message") };
}

/** An id as the number that Telegram's API takes. Throws `not_found` for anything else. */
export function toNumber(id: string, what: string): number {
  const number = Number(id);
  if (/^-?\d+$/.test(id) && Number.isSafeInteger(number)) return number;
  throw notFound(what);
}

function notFound(what: string): GatewayError {
  return new GatewayError(`telegram has no ${what} with such an id`, { code: "not_found" });
}
