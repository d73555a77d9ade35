import { cleanName } from "@talaria/adapter-kit";
import { type Attachment, brandAs, type MediaRef } from "@talaria/protocol";
import { richText } from "./rich-text.ts";
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
  const name = cleanName(file.file_name ?? "");
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

/** One bracketed line about what a text cannot hold, such as a poll or a place. Undefined when there is nothing. */
export function descriptionOf(content: TelegramContent): string | undefined {
  const { poll, venue, location, contact, dice, game, checklist, invoice, sticker, video_note } = content;
  if (sticker) return note("sticker", sticker.emoji);
  if (video_note) return note("video note", video_note.duration === undefined ? "" : `${video_note.duration} s`);
  if (poll) return pollNote(poll);
  if (venue) return note("place", venue.title, venue.address);
  if (location) return note("location", `${location.latitude}, ${location.longitude}`);
  if (contact) return note("contact", `${contact.first_name ?? ""} ${contact.last_name ?? ""}`, contact.phone_number);
  if (dice) return note("dice", dice.emoji, dice.value?.toString());
  if (game) return note("game", game.title);
  if (checklist) return note("checklist", checklist.title);
  if (invoice) return note("invoice", invoice.title);
  if (content.story) return note("story");
  if (content.giveaway) return note("giveaway");
  if (content.paid_media) return note("paid media");
  if (content.rich_message && richText(content.rich_message) === "") return note("a message without words");
  return undefined;
}

/** More options than Telegram lets a poll have are left out. */
const maxOptions = 12;

function pollNote({ type, question, options = [] }: NonNullable<TelegramContent["poll"]>): string {
  const listed = options.slice(0, maxOptions).map(optionOf).join(" / ");
  return line(type === "quiz" ? "quiz" : "poll", [clean(question), listed]);
}

function optionOf({ text, voter_count: votes }: { text: string; voter_count?: number | undefined }): string {
  return votes === undefined || votes === 0 ? clean(text) : `${clean(text)} (${votes})`;
}

function note(kind: string, ...facts: readonly (string | undefined)[]): string {
  return line(kind, facts.map(clean));
}

function clean(fact = ""): string {
  return cleanName(fact).replaceAll(/[[\]]/g, "");
}

function line(kind: string, facts: readonly string[]): string {
  const shown = facts.filter((fact) => fact !== "");
  return shown.length === 0 ? `[${kind}]` : `[${kind}: ${shown.join(", ")}]`;
}
