import type { Chosen } from "@talaria/adapter-kit";
import { isGatewayError } from "@talaria/protocol";
import type { MessageEntity } from "grammy/types";
import { maxCaptionLength, maxTextLength } from "./capabilities.ts";
import { maxLabelLength } from "./choices.ts";
import type { TelegramClient } from "./client.ts";
import { isRefused } from "./formatted.ts";
import type { TelegramPress } from "./update.ts";

/** What the button sends back that is left to say what was chosen. Ids of choices have no colon. */
export const spentData = "chosen:";

type PressedMessage = NonNullable<TelegramPress["message"]>;

/**
 * Takes the buttons of a message away and writes below its words what was chosen. Where the words cannot be written again, as in
 * rich messages, long ones and those that Telegram does not show any more, one button that does nothing says it. Telegram names
 * the message as it was when the button was pressed (core.telegram.org/bots/api#callbackquery), so that doing it twice changes nothing.
 */
export async function closeChoices(
  message: PressedMessage,
  chosen: Chosen | undefined,
  client: TelegramClient,
  signal: AbortSignal,
): Promise<void> {
  const place = { chat_id: Number(message.chat.id), message_id: Number(message.message_id) };
  try {
    if (chosen === undefined) await client.call("editMessageReplyMarkup", place, signal);
    else await showChosen(message, place, `✓ ${chosen.label}`, client, signal);
  } catch (error) {
    if (!isRefused(error, "not-modified")) throw error;
  }
}

type Place = { readonly chat_id: number; readonly message_id: number };

async function showChosen(
  message: PressedMessage,
  place: Place,
  line: string,
  client: TelegramClient,
  signal: AbortSignal,
): Promise<void> {
  const { text = "", caption = "", rich_message } = message;
  const link_preview_options = { is_disabled: true };
  const written = `${text || caption}\n\n${line}`;
  try {
    if (text !== "" && rich_message === undefined && written.length <= maxTextLength) {
      const entities = [...kept(message.entities)];
      await client.call("editMessageText", { ...place, text: written, entities, link_preview_options }, signal);
      return;
    }
    if (caption !== "" && written.length <= maxCaptionLength) {
      const caption_entities = [...kept(message.caption_entities)];
      await client.call("editMessageCaption", { ...place, caption: written, caption_entities }, signal);
      return;
    }
  } catch (error) {
    if (!isGatewayError(error, "invalid_request") || isRefused(error, "not-modified")) throw error;
  }
  const button = { text: line.slice(0, maxLabelLength).toWellFormed(), callback_data: spentData };
  await client.call("editMessageReplyMarkup", { ...place, reply_markup: { inline_keyboard: [[button]] } }, signal);
}

/** What we write ourselves; Telegram finds links, mentions and commands by itself (core.telegram.org/bots/api#messageentity). */
const ownTypes: ReadonlySet<string> = new Set([
  "bold",
  "italic",
  "underline",
  "strikethrough",
  "spoiler",
  "blockquote",
  "expandable_blockquote",
  "code",
  "pre",
  "text_link",
]);

function kept(entities: PressedMessage["entities"] = []): readonly MessageEntity[] {
  return entities
    .filter(({ type }) => ownTypes.has(type))
    .map(({ type, offset, length, url, language }) => {
      return { type, offset, length, ...(url && { url }), ...(language && { language }) } as MessageEntity;
    });
}
