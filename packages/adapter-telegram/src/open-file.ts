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
  if (file_size !== undefined && file_size > maxDownloadBytes) throw tooLarge();
  if (file_path === undefined) throw new GatewayError("telegram no longer has the file", { code: "not_found" });
  const stream = await client.download(file_path, signal);
  let length = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > maxDownloadBytes) controller.error(tooLarge());
        else controller.enqueue(chunk);
      },
    }),
  );
}

function tooLarge(): GatewayError {
  return new GatewayError("a file is larger than telegram hands out", {
    code: "too_large",
    details: { maxBytes: maxDownloadBytes },
  });
}
