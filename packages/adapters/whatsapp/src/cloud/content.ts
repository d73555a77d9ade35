import { cleanName, cleanText } from "@talaria/adapter-kit";
import { type Attachment, brandAs, type MediaRef } from "@talaria/protocol";
import type { CloudContent, CloudMessage } from "./payload.ts";

/** What a person wrote: the text, or the words below a file, or one bracketed line about what text cannot hold. */
export function wordsOf(message: CloudMessage): string {
  const { text, image, video, document, button, interactive } = message;
  const words = text?.body ?? image?.caption ?? video?.caption ?? document?.caption ?? button?.text;
  const pressed = interactive?.button_reply ?? interactive?.list_reply;
  return cleanText(words ?? pressed?.title ?? descriptionOf(message) ?? "");
}

/** The files of a message; WhatsApp sends one each. */
export function attachmentsOf(content: CloudContent): readonly Attachment[] {
  const { image, audio, video, document, sticker } = content;
  if (image) return [attachment("image", image, "image/jpeg")];
  if (audio) return [attachment("audio", audio, "audio/ogg")];
  if (video) return [attachment("video", video, "video/mp4")];
  if (sticker) return [attachment("image", sticker, "image/webp")];
  if (document) return [attachment("file", document, "application/octet-stream")];
  return [];
}

type CloudFile = NonNullable<CloudContent["image"]>;

function attachment(kind: Attachment["kind"], file: CloudFile, usualType: string): Attachment {
  const name = cleanName(file.filename ?? "");
  const given = file.mime_type?.split(";")[0]?.trim() ?? "";
  const mimeType = /^[\w.+-]+\/[\w.+-]+$/.test(given) ? given : usualType;
  return {
    kind: kind === "file" && mimeType.startsWith("image/") ? "image" : kind,
    mimeType,
    ref: brandAs<MediaRef>(file.id),
    ...(name === "" ? {} : { name }),
    ...(kind === "audio" && file.voice === true ? { voice: true as const } : {}),
  };
}

/** Undefined for what needs no words: a file stands for itself. */
function descriptionOf(message: CloudMessage): string | undefined {
  const { type, location, contacts, order } = message;
  if (attachmentsOf(message).length > 0) return undefined;
  if (location) return note("location", `${location.latitude}, ${location.longitude}`, location.name, location.address);
  if (contacts)
    return contacts
      .map(({ name, phones }) => note("contact", name?.formatted_name, ...(phones ?? []).map(({ phone }) => phone)))
      .join("\n");
  if (order) return note("order", order.text);
  if (type === "interactive") return note("a filled-in form, which this gateway cannot read");
  if (type === "unsupported") return note("a message that WhatsApp does not hand over");
  return note(`a message of the kind ${cleanName(type) || "unknown"}, which this gateway cannot read`);
}

function note(kind: string, ...facts: readonly (string | undefined)[]): string {
  const shown = facts.map((fact) => cleanName(fact ?? "").replaceAll(/[[\]]/g, "")).filter((fact) => fact !== "");
  return shown.length === 0 ? `[${kind}]` : `[${kind}: ${shown.join(", ")}]`;
}
