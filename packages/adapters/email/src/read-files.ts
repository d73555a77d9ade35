import type { MediaSource } from "@talaria/adapter";
import { readMedia } from "@talaria/adapter-kit";
import { GatewayError, type OutboundAttachment } from "@talaria/protocol";
import { maxFiles } from "./capabilities.ts";
import { tooLarge } from "./errors.ts";
import { safeFileName } from "./file-names.ts";
import type { MailFile } from "./outbound.ts";

/** The files of a message, whole; together at most `maxBytes`. Nothing was sent when it throws. */
export async function readFiles(
  media: MediaSource,
  attachments: readonly OutboundAttachment[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<readonly MailFile[]> {
  if (attachments.length > maxFiles)
    throw new GatewayError(`one mail takes ${maxFiles} files`, {
      code: "invalid_request",
      details: { maxAttachments: maxFiles },
    });
  const files: MailFile[] = [];
  let left = maxBytes;
  for (const { ref, name, mimeType } of attachments) {
    const content = await readMedia(media, ref, { platform: "email", maxBytes }, signal);
    left -= content.length;
    if (left < 0) throw tooLarge(maxBytes);
    files.push({ name: safeFileName(name) || "file", mimeType, content });
  }
  return files;
}
