import type { MediaSource } from "@talaria/adapter";
import { cleanFileName, readMedia } from "@talaria/adapter-kit";
import { GatewayError, type OutboundAttachment, type OutboundMessage } from "@talaria/protocol";
import { InputFile } from "grammy";
import { maxAlbumItems, maxUploadBytes } from "./capabilities.ts";
import type { Chats } from "./chats.ts";
import type { Args, Result, TelegramClient } from "./client.ts";
import { formatted, isRefused } from "./formatted.ts";
import { albumKindsOf, type MediaKind, mediaKindOf } from "./media-kind.ts";
import { captionArgs, placeArgs, toCaption } from "./outbound.ts";

export interface FileDeps {
  readonly client: TelegramClient;
  readonly chats: Chats;
  readonly media: MediaSource;
}

export type Sent = Pick<Result<"sendMessage">, "message_id" | "date"> & { readonly chat: { readonly id: number } };

/** Posts one file, as Telegram shows it best; as a document where Telegram does not take it as that. */
export async function sendFile(
  message: OutboundMessage,
  attachment: OutboundAttachment,
  { client, chats, media }: FileDeps,
  signal: AbortSignal,
): Promise<Sent> {
  const caption = toCaption(message.markdown);
  const file = await read(media, attachment, maxUploadBytes, signal);
  return chats.post(message.conversation, (place) => {
    const shared = placeArgs(place, message, chats);
    return asFitting(file.kind, (kind) =>
      formatted<Sent>((isFormatted) => {
        const args = { ...shared, ...captionArgs(caption, isFormatted) };
        switch (kind) {
          case "photo":
            return client.call("sendPhoto", { ...args, photo: file.upload() }, signal);
          case "video":
            return client.call("sendVideo", { ...args, video: file.upload() }, signal);
          case "audio":
            return client.call("sendAudio", { ...args, audio: file.upload() }, signal);
          case "voice":
            return client.call("sendVoice", { ...args, voice: file.upload() }, signal);
          case "document":
            return client.call(
              "sendDocument",
              { ...args, ...(file.kind !== "document" && asItIs), document: file.upload() },
              signal,
            );
          default:
            return kind satisfies never;
        }
      }),
    );
  });
}

/** Posts two to ten files as one album with the text below the first; answers with the first of its messages. */
export async function sendAlbum(
  message: OutboundMessage,
  { client, chats, media }: FileDeps,
  signal: AbortSignal,
): Promise<Sent> {
  const { attachments, choices = [], markdown, conversation } = message;
  if (attachments.length > maxAlbumItems)
    throw new GatewayError(`one telegram album takes ${maxAlbumItems} files: send the others with another message`, {
      code: "invalid_request",
      details: { maxAttachments: maxAlbumItems },
    });
  if (choices.length > 0)
    throw new GatewayError("telegram shows no buttons below an album: send them with a text", {
      code: "invalid_request",
    });
  const caption = toCaption(markdown);
  const files: ReadFile[] = [];
  for (const attachment of attachments) {
    const room = maxUploadBytes - files.reduce((sum, { byteLength }) => sum + byteLength, 0);
    files.push(await read(media, attachment, room, signal));
  }
  const kinds = albumKindsOf(files.map(({ kind }) => kind));
  return chats.post(conversation, async (place) => {
    const args = placeArgs(place, message, chats);
    const post = (asDocuments: boolean) =>
      formatted((isFormatted) => {
        const items = files.map(({ upload }, n) => ({
          type: asDocuments ? "document" : (kinds[n] ?? "document"),
          media: upload(),
          ...(n === 0 ? captionArgs(caption, isFormatted) : {}),
        }));
        return client.call("sendMediaGroup", { ...args, media: items as Args<"sendMediaGroup">["media"] }, signal);
      });
    const [first] = await asFitting(kinds[0] ?? "document", (kind) => post(kind === "document"));
    if (first === undefined)
      throw new GatewayError("telegram accepted an album without an id", { code: "unavailable" });
    return first;
  });
}

/** For what was refused in another form: Telegram looks into documents, and would try that form again. */
const asItIs = { disable_content_type_detection: true };

interface ReadFile {
  readonly kind: MediaKind;
  readonly byteLength: number;
  /** Anew for each call: a call is repeated when Telegram refuses the form, or the chat has moved. */
  readonly upload: () => InputFile;
}

async function read(
  media: MediaSource,
  { ref, mimeType, name }: OutboundAttachment,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadFile> {
  const bytes = await readMedia(media, ref, { platform: "telegram", maxBytes }, signal);
  const upload = () => new InputFile(bytes, uploadName(name));
  return { kind: mediaKindOf(mimeType, bytes), byteLength: bytes.byteLength, upload };
}

/** Calls with a form, and once more as a document when Telegram refuses the form: then nothing was posted. */
async function asFitting<T>(kind: MediaKind, call: (kind: MediaKind) => Promise<T>): Promise<T> {
  try {
    return await call(kind);
  } catch (error) {
    if (kind === "document" || !isRefused(error, "media")) throw error;
    return call("document");
  }
}

/** The name goes into a header of the upload: quoted, on one line. */
function uploadName(name: string): string {
  const safe = cleanFileName(name).replace(/["\\/]/g, "_");
  return `"${safe || "file"}"`;
}
