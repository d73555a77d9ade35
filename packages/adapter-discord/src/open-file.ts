import { GatewayError, isGatewayError, type MediaRef } from "@talaria/protocol";
import { maxFileBytes } from "./capabilities.ts";
import type { DiscordClient } from "./client.ts";
import { toGatewayError } from "./errors.ts";
import { read } from "./wire.ts";

/**
 * The bytes of a file somebody sent. Discord's links expire, so the message is asked for a fresh one. Throws `too_large`
 * above 10 MiB, at the latest while it is read.
 */
export async function openFile(
  client: DiscordClient,
  ref: MediaRef,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const [, channelId, messageId, fileId] = /^(\d+)\/(\d+)\/(\d+)$/.exec(ref) ?? [];
  if (fileId === undefined) throw gone();
  const message = read.message(
    await client.call({ method: "GET", path: `/channels/${channelId}/messages/${messageId}` }, signal),
  );
  const file = message?.attachments.find(({ id }) => id === fileId);
  if (file?.url === undefined) throw gone();
  if (file.size !== undefined && file.size > maxFileBytes) throw tooLarge();
  return limited(await download(client, file.url, signal));
}

async function download(client: DiscordClient, url: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  try {
    const response = await client.download(url, signal);
    if (response.ok && response.body !== null) return response.body as ReadableStream<Uint8Array>;
    await response.body?.cancel();
    if (response.status === 404) throw gone();
    throw new GatewayError(`discord answered a download with ${response.status}`, { code: "unavailable" });
  } catch (error) {
    if (isGatewayError(error)) throw error;
    throw toGatewayError(error, "a download", signal);
  }
}

function limited(stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  let length = 0;
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        length += chunk.byteLength;
        if (length > maxFileBytes) controller.error(tooLarge());
        else controller.enqueue(chunk);
      },
    }),
  );
}

function gone(): GatewayError {
  return new GatewayError("discord no longer has the file", { code: "not_found" });
}

function tooLarge(): GatewayError {
  return new GatewayError("a file is larger than we take", { code: "too_large", details: { maxBytes: maxFileBytes } });
}
