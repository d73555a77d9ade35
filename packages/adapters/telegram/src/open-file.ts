import { fileTooLarge, limitBytes } from "@talaria/adapter-kit";
import { GatewayError, type MediaRef } from "@talaria/protocol";
import { maxDownloadBytes } from "./capabilities.ts";
import type { TelegramClient } from "./client.ts";

/** The bytes of a file somebody sent. Throws `too_large` above 20 MB, at the latest while it is read. */
export async function openFile(
  client: TelegramClient,
  ref: MediaRef,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { file_path, file_size } = await client.call("getFile", { file_id: ref }, signal);
  if (file_size !== undefined && file_size > maxDownloadBytes) throw fileTooLarge(maxDownloadBytes);
  if (file_path === undefined) throw new GatewayError("telegram no longer has the file", { code: "not_found" });
  return limitBytes(await client.download(file_path, signal), maxDownloadBytes);
}
