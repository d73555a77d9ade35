import type { MediaSource } from "@talaria/adapter";
import { cleanFileName, readMedia } from "@talaria/adapter-kit";
import { GatewayError, type OutboundAttachment } from "@talaria/protocol";
import { maxFileBytes } from "./capabilities.ts";
import { withChoices } from "./choices.ts";
import type { MatrixClient, MatrixUpload } from "./client.ts";
import { encryptFile } from "./file-cipher.ts";
import { type Saying, sharedFields, textFields } from "./outbound.ts";
import { type Content, read } from "./wire.ts";

export interface FileDeps {
  readonly client: MatrixClient;
  readonly media: MediaSource;
}

/**
 * Uploads a file and makes the message that shows it, with the text as its caption. Nobody saw anything when it throws:
 * a file without a message is not visible.
 */
export async function fileContent(
  { client, media }: FileDeps,
  { ref, name, mimeType }: OutboundAttachment,
  { isEncrypted, ...saying }: Saying & { readonly isEncrypted: boolean },
  signal: AbortSignal,
): Promise<Content> {
  const bytes = await readMedia(media, ref, { platform: "matrix", maxBytes: maxFileBytes }, signal);
  const caption = withChoices(saying.markdown, saying.choices);
  const filename = cleanFileName(name) || "file";
  const locked = isEncrypted ? await encryptFile(bytes) : undefined;
  const data = new Uint8Array(locked?.ciphertext ?? bytes);
  const type = locked === undefined ? mimeType : "application/octet-stream";
  const url = await upload(client, { data, mimeType: type, ...(locked === undefined && { filename }) }, signal);
  return {
    msgtype: msgtypeOf(mimeType),
    ...(caption.trim() === "" ? { body: filename } : textFields(caption)),
    filename,
    info: { mimetype: mimeType, size: bytes.byteLength },
    ...(locked === undefined ? { url } : { file: { ...locked.file, url } }),
    ...sharedFields(saying),
  };
}

async function upload(client: MatrixClient, file: MatrixUpload, signal: AbortSignal): Promise<string> {
  const uploaded = read.uploaded(await client.upload(file, signal));
  if (uploaded !== undefined) return uploaded.content_uri;
  throw new GatewayError("the homeserver's answer to an upload has no usable content_uri", { code: "unavailable" });
}

function msgtypeOf(mimeType: string): string {
  const family = mimeType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? `m.${family}` : "m.file";
}
