import type { MediaSource } from "@talaria/adapter";
import { cleanName, readMedia } from "@talaria/adapter-kit";
import { GatewayError, isGatewayError, type OutboundMessage } from "@talaria/protocol";
import { InputFile } from "grammy";
import { maxPhotoBytes, maxUploadBytes } from "./capabilities.ts";
import type { Chats } from "./chats.ts";
import type { Result, TelegramClient } from "./client.ts";
import { captionArgs, placeArgs, textArgs, toCaption, toText } from "./outbound.ts";
import type { RichMessages } from "./rich-messages.ts";

export interface SendDeps {
  readonly client: TelegramClient;
  readonly chats: Chats;
  readonly media: MediaSource;
  readonly rich: RichMessages;
}

export type Sent = Pick<Result<"sendMessage">, "message_id" | "date"> & { readonly chat: { readonly id: number } };

/** Posts exactly one message. */
export async function sendOne(message: OutboundMessage, deps: SendDeps, signal: AbortSignal): Promise<Sent> {
  const [attachment, ...others] = message.attachments;
  if (others.length > 0)
    throw new GatewayError("one telegram message takes one file", {
      code: "invalid_request",
      details: { maxAttachments: 1 },
    });
  return attachment === undefined ? sendText(message, deps, signal) : sendFile(message, attachment, deps, signal);
}

function sendText(message: OutboundMessage, { client, chats, rich }: SendDeps, signal: AbortSignal): Promise<Sent> {
  const text = toText(message.markdown);
  return chats.post(message.conversation, (place) => {
    const args = placeArgs(place, message, chats);
    const plain = () =>
      formatted((isFormatted) => client.call("sendMessage", { ...args, ...textArgs(text, isFormatted) }, signal));
    return rich.prefer(
      message.markdown,
      (rich_message) => client.call("sendRichMessage", { ...args, rich_message }, signal),
      plain,
    );
  });
}

async function sendFile(
  message: OutboundMessage,
  { ref, mimeType, name }: OutboundMessage["attachments"][number],
  { client, chats, media }: SendDeps,
  signal: AbortSignal,
): Promise<Sent> {
  const caption = toCaption(message.markdown);
  // Needed again when Telegram refuses it as a picture, or the chat it was for has moved.
  const bytes = await readMedia(media, ref, { platform: "telegram", maxBytes: maxUploadBytes }, signal);
  const file = () => new InputFile(bytes, uploadName(name));
  return chats.post(message.conversation, async (place) => {
    const args = placeArgs(place, message, chats);
    const asDocument = (isFormatted: boolean) =>
      client.call("sendDocument", { ...args, ...captionArgs(caption, isFormatted), document: file() }, signal);
    if (!isPhoto(mimeType) || bytes.byteLength > maxPhotoBytes) return formatted(asDocument);
    try {
      return await formatted((isFormatted) =>
        client.call("sendPhoto", { ...args, ...captionArgs(caption, isFormatted), photo: file() }, signal),
      );
    } catch (error) {
      if (isRefused(error, "photo")) return formatted(asDocument);
      throw error;
    }
  });
}

/** Calls with formatting, and once more without when Telegram cannot read the formatting: then nothing was posted. */
export async function formatted<T>(call: (isFormatted: boolean) => Promise<T>): Promise<T> {
  try {
    return await call(true);
  } catch (error) {
    if (isRefused(error, "entities")) return call(false);
    throw error;
  }
}

/** Whether Telegram refused a request for this reason; see the rules in `errors.ts`. */
export function isRefused(error: unknown, reason: string): boolean {
  return isGatewayError(error) && error.details.reason === reason;
}

/** Pictures that Telegram shows as such. */
function isPhoto(mimeType: string): boolean {
  return /^image\/(jpeg|png|webp|bmp)$/.test(mimeType);
}

/** The name goes into a header of the upload: quoted, on one line. */
function uploadName(name: string): string {
  const safe = cleanName(name).replace(/["\\/]/g, "_");
  return `"${safe || "file"}"`;
}
