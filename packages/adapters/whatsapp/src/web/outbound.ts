import { createHash } from "node:crypto";
import type { MediaSource } from "@talaria/adapter";
import { cleanFileName, readMedia } from "@talaria/adapter-kit";
import { GatewayError, type OutboundMessage } from "@talaria/protocol";
import { measure, render } from "../format/render.ts";
import { maxCaptionLength, maxFileBytes, maxTextLength } from "./capabilities.ts";

/** The same for the same delivery, in the form WhatsApp Web's own ids have: a repetition is the same message there. */
export function messageIdOf({ deliveryKey }: Pick<OutboundMessage, "deliveryKey">): string {
  return `3EB0${createHash("sha256").update(deliveryKey).digest("hex").slice(0, 18).toUpperCase()}`;
}

/** One message as Baileys takes it. Throws only errors with effect none. */
export async function contentOf(message: OutboundMessage, media: MediaSource, signal: AbortSignal): Promise<object> {
  const { attachments, markdown } = message;
  const [file, ...others] = attachments;
  if (others.length > 0)
    throw new GatewayError("one whatsapp message takes one file", {
      code: "invalid_request",
      details: { maxAttachments: 1 },
    });
  const text = limited(markdown, file === undefined ? maxTextLength : maxCaptionLength);
  if (file === undefined) {
    if (text === "") throw new GatewayError("a message needs text or a file", { code: "invalid_request" });
    return { text, linkPreview: null };
  }
  const bytes = await readMedia(media, file.ref, { platform: "whatsapp", maxBytes: maxFileBytes }, signal);
  const mimetype = file.mimeType;
  const type = mimetype.split(";")[0]?.trim().toLowerCase() ?? "";
  const caption = text === "" ? {} : { caption: text };
  if (/^image\/(?:jpeg|png)$/.test(type)) return { image: bytes, mimetype: type, ...caption };
  if (type === "video/mp4") return { video: bytes, mimetype: type, ...caption };
  // A sound carries no words: with some it goes as a document.
  if (type.startsWith("audio/") && text === "") return { audio: bytes, mimetype, ptt: type === "audio/ogg" };
  return { document: bytes, mimetype: type, fileName: cleanFileName(file.name) || "file", ...caption };
}

function limited(markdown: string, maxLength: number): string {
  const length = measure(markdown);
  if (length > maxLength)
    throw new GatewayError(`a text of ${length} is longer than the ${maxLength} that whatsapp takes`, {
      code: "too_large",
      details: { length, maxLength },
    });
  return length === 0 ? "" : render(markdown);
}
