import { cleanFileName } from "@talaria/adapter-kit";
import { type Attachment, brandAs, type MediaRef } from "@talaria/protocol";
import type { TelegramContent, TelegramFile } from "./update.ts";

/** The files of a message. Of a photo's sizes the largest. */
export function attachmentsOf(content: TelegramContent): readonly Attachment[] {
  const { photo, voice, audio, video, video_note, animation, sticker, document } = content;
  if (animation) return [attachment("video", animation, "video/mp4")];
  if (photo) return [attachment("image", largest(photo), "image/jpeg")];
  if (voice) return [{ ...attachment("audio", voice, "audio/ogg"), voice: true }];
  if (audio) return [attachment("audio", audio, "audio/mpeg")];
  if (video) return [attachment("video", video, "video/mp4")];
  if (video_note) return [attachment("video", video_note, "video/mp4")];
  if (sticker?.is_animated) return [attachment("file", sticker, "application/x-tgsticker")];
  if (sticker?.is_video) return [attachment("video", sticker, "video/webm")];
  if (sticker) return [attachment("image", sticker, "image/webp")];
  if (document) return [attachment("file", document, "application/octet-stream")];
  return [];
}

type Photo = NonNullable<TelegramContent["photo"]>;

function largest(sizes: Photo): TelegramFile {
  const area = (size: Photo[number]) => (size.width ?? 0) * (size.height ?? 0);
  return sizes.reduce((best, size) => (area(size) >= area(best) ? size : best));
}

function attachment(kind: Attachment["kind"], file: TelegramFile, usualType: string): Attachment {
  const name = cleanFileName(file.file_name ?? "");
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(file.mime_type ?? "") ? (file.mime_type ?? usualType) : usualType;
  const size = file.file_size;
  return {
    kind: kind === "file" && mimeType.startsWith("image/") ? "image" : kind,
    mimeType,
    ref: brandAs<MediaRef>(file.file_id),
    ...(name === "" ? {} : { name }),
    ...(size !== undefined && Number.isFinite(size) && size >= 0 ? { byteLength: size } : {}),
  };
}
