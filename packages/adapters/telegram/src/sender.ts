import { cleanName } from "@talaria/adapter-kit";
import { brandAs, type Sender, spoken, type UserId } from "@talaria/protocol";
import type { TelegramChat, TelegramOrigin, TelegramUser } from "./update.ts";

/** Who an event came from, as far as Telegram tells. */
export interface SenderFacts {
  readonly from?: TelegramUser | undefined;
  /** Set when somebody writes in the name of a group or a channel: `from` is then a stand-in. */
  readonly sender_chat?: TelegramChat | undefined;
  readonly chat: TelegramChat;
}

/** The sender. Who hides behind a chat has the role `unknown` and the chat's id. */
export function toSender({ from, sender_chat, chat }: SenderFacts, selfId: string): Sender {
  const hidden = sender_chat ?? chat;
  if (sender_chat !== undefined || from === undefined)
    return {
      userId: brandAs<UserId>(hidden.id),
      role: "unknown",
      displayName: chatName(hidden),
      assurance: sender_chat === undefined ? "claimed" : "platform",
    };
  const handle = cleanName(from.username ?? "");
  return {
    userId: brandAs<UserId>(from.id),
    role: from.id === selfId ? "self" : from.is_bot ? "bot" : "person",
    displayName: personName(from),
    assurance: "platform",
    ...(handle === "" ? {} : { handle }),
    ...spoken(from.language_code),
  };
}

/** What to call a person: their name, else the handle, else the id. */
export function personName({
  id,
  first_name = "",
  last_name = "",
  username = "",
}: Omit<TelegramUser, "language_code">): string {
  return cleanName(`${first_name} ${last_name}`) || cleanName(username) || id;
}

function chatName({ id, title, first_name, last_name, username }: TelegramChat): string {
  return cleanName(title ?? "") || personName({ id, first_name, last_name, username });
}

/** Id and name of whoever first wrote a forwarded or quoted message. The id is `hidden` where Telegram hides it. */
export function originOf({ sender_user, sender_user_name, sender_chat, chat }: TelegramOrigin): {
  readonly userId: UserId;
  readonly displayName: string;
} {
  if (sender_user) return { userId: brandAs<UserId>(sender_user.id), displayName: personName(sender_user) };
  const place = sender_chat ?? chat;
  if (place) return { userId: brandAs<UserId>(place.id), displayName: chatName(place) };
  return { userId: brandAs<UserId>("hidden"), displayName: cleanName(sender_user_name ?? "") || "somebody" };
}
