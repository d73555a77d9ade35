import { maxPhotoBytes } from "./capabilities.ts";

/** How Telegram shows a file. */
export type MediaKind = "photo" | "video" | "audio" | "voice" | "document";

/**
 * The best form for a file, by the formats that the Bot API names: photos up to 10 MB, MPEG4 videos, MP3 and M4A in the
 * music player, Opus in Ogg as a voice message. Anything else is a document.
 */
export function mediaKindOf(mimeType: string, bytes: Buffer): MediaKind {
  const type = mimeType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (/^image\/(jpeg|png|webp|bmp)$/.test(type)) return bytes.byteLength > maxPhotoBytes ? "document" : "photo";
  if (type === "video/mp4") return "video";
  if (/^audio\/(mpeg|mp3|mp4|m4a|x-m4a)$/.test(type)) return "audio";
  if (/^(audio|application)\/(ogg|opus)$/.test(type) && isOggOpus(bytes)) return "voice";
  return "document";
}

/**
 * How each file of an album is shown. Photos and videos go together, audio files go together, and so do documents; a mix
 * goes as documents.
 */
export function albumKindsOf(kinds: readonly MediaKind[]): readonly Exclude<MediaKind, "voice">[] {
  const seen = kinds.every((kind) => kind === "photo" || kind === "video");
  const heard = kinds.every((kind) => kind === "audio");
  return kinds.map((kind) => (kind === "voice" || !(seen || heard) ? "document" : kind));
}

/** The first page of an Ogg file, and in it the header of Opus (RFC 7845). An Ogg file may hold other sounds. */
function isOggOpus(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, 4) === "OggS" && bytes.toString("latin1", 28, 36) === "OpusHead";
}
