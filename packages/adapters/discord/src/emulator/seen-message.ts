import { buttonsOf, type SeenDiscordButton } from "./components.ts";
import { isThread, type StoredMessage } from "./state.ts";

/** A message as the people in a channel see it, at the moment of looking. */
export interface SeenDiscordMessage {
  readonly id: string;
  readonly authorId: string;
  readonly byBot: boolean;
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly contentType: string; readonly bytes: Uint8Array }[];
  readonly buttons: readonly SeenDiscordButton[];
  readonly replyTo?: string;
  /** Ids of the users that it notifies, as its text is now. */
  readonly notified: readonly string[];
  /** Id of the thread the message is in. */
  readonly thread?: string;
  readonly flags: number;
  readonly edits: number;
  /** Texts before the edits, oldest first. */
  readonly history: readonly string[];
  /** Ids of who reacted, by emoji. */
  readonly reactions: ReadonlyMap<string, readonly string[]>;
  readonly deleted: boolean;
  readonly sentAt: number;
  readonly editedAt?: number;
}

export function toSeenMessage(message: StoredMessage): SeenDiscordMessage {
  const { channel, author, replyTo, editedAt } = message;
  return {
    id: message.id,
    authorId: author.id,
    byBot: author.bot,
    text: message.content,
    files: message.files.map(({ filename, contentType, bytes }) => ({ name: filename, contentType, bytes })),
    buttons: buttonsOf(message.components),
    ...(replyTo !== undefined && { replyTo }),
    ...(isThread(channel) && { thread: channel.id }),
    notified: message.mentions.map(({ id }) => id),
    flags: message.flags,
    edits: message.history.length,
    history: [...message.history],
    reactions: new Map([...message.reactions].map(([emoji, users]) => [emoji, [...users]])),
    deleted: message.deleted,
    sentAt: message.sentAt,
    ...(editedAt !== undefined && { editedAt }),
  };
}
