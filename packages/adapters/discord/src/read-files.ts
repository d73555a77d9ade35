import type { MediaSource } from "@talaria/adapter";
import { cleanFileName, readMedia } from "@talaria/adapter-kit";
import { GatewayError, type OutboundAttachment } from "@talaria/protocol";
import type { RawFile } from "discord.js";
import { maxFileBytes, maxFiles } from "./capabilities.ts";

/** The files of a message, whole. Nothing was sent when it throws. */
export async function readFiles(
  media: MediaSource,
  attachments: readonly OutboundAttachment[],
  signal: AbortSignal,
): Promise<RawFile[]> {
  if (attachments.length > maxFiles)
    throw new GatewayError(`one discord message takes ${maxFiles} files`, {
      code: "invalid_request",
      details: { maxAttachments: maxFiles },
    });
  const files: RawFile[] = [];
  for (const { ref, name, mimeType } of attachments) {
    const data = await readMedia(media, ref, { platform: "discord", maxBytes: maxFileBytes }, signal);
    files.push({ name: cleanFileName(name).replace(/["\\/]/g, "_") || "file", contentType: mimeType, data });
  }
  return files;
}
