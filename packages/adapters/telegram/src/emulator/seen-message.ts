import type { InputRichBlock, MessageEntity, User } from "grammy/types";
import type { ChatMessage } from "./chat-state.ts";
import type { FileKind } from "./file-store.ts";
import { toHtml } from "./to-html.ts";
import { wireUser } from "./wire.ts";

/** A message as the people in the chat see it, at the moment of looking. */
export interface SeenMessage {
  readonly id: number;
  readonly from: User;
  readonly byBot: boolean;
  /** Text or caption. */
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  /** Text and entities in one fixed spelling of HTML. */
  readonly html: string;
  /** The blocks of a rich message; `text` is then what people read in them. */
  readonly rich?: readonly InputRichBlock[];
  readonly media?: {
    readonly kind: FileKind;
    readonly bytes: Uint8Array;
    readonly name?: string;
    readonly mimeType?: string;
  };
  readonly mediaGroupId?: string;
  readonly topic?: number;
  readonly replyTo?: number;
  readonly quote?: string;
  readonly buttons: readonly (readonly { readonly text: string; readonly data?: string; readonly url?: string }[])[];
  /** Emoji by the id of who reacted. */
  readonly reactions: ReadonlyMap<number, readonly string[]>;
  readonly edits: number;
  /** Texts before the edits, oldest first. */
  readonly history: readonly string[];
  readonly silent: boolean;
  readonly deleted: boolean;
  readonly isService: boolean;
  readonly sentAt: number;
  readonly editedAt?: number;
}

export function toSeenMessage(message: ChatMessage): SeenMessage {
  const { media, markup } = message;
  return {
    id: message.id,
    from: wireUser(message.from),
    byBot: message.from.is_bot,
    text: message.text,
    entities: message.entities,
    html: toHtml(message.text, message.entities),
    ...(message.rich && { rich: message.rich }),
    ...(media && {
      media: {
        kind: media.kind,
        bytes: media.bytes,
        ...(media.name && { name: media.name }),
        ...(media.mimeType && { mimeType: media.mimeType }),
      },
    }),
    ...(message.mediaGroupId !== undefined && { mediaGroupId: message.mediaGroupId }),
    ...(message.inTopic && message.threadId !== undefined && { topic: message.threadId }),
    ...(message.replyTo !== undefined && { replyTo: message.replyTo }),
    ...(message.quote !== undefined && { quote: message.quote }),
    buttons: (markup?.inline_keyboard ?? []).map((row) => row.map(toButton)),
    reactions: new Map([...message.reactions].map(([userId, reactions]) => [userId, reactions.map(emojiOf)])),
    edits: message.edits,
    history: [...message.history],
    silent: message.silent,
    deleted: message.deleted,
    isService: message.service !== undefined,
    sentAt: message.sentAt,
    ...(message.editedAt !== undefined && { editedAt: message.editedAt }),
  };
}

function toButton(button: object): { text: string; data?: string; url?: string } {
  const { text, callback_data, url } = button as { text: string; callback_data?: string; url?: string };
  return { text, ...(callback_data !== undefined && { data: callback_data }), ...(url !== undefined && { url }) };
}

function emojiOf(reaction: object): string {
  return "emoji" in reaction ? String(reaction.emoji) : JSON.stringify(reaction);
}
