import type { AccountId } from "@talaria/protocol";

/** Who we are on Telegram. */
export interface TelegramAccount {
  readonly accountId: AccountId;
  /** The bot's user id, decimal. */
  readonly selfId: string;
  /** The bot's handle without `@`. */
  readonly username: string;
  /** Calls into chats that we are no member of are heard. */
  readonly guestMode?: boolean;
  /** The id under which a chat is known here; another one than its own where a group became a supergroup. */
  readonly firstIdOf?: (chatId: string) => string;
}
