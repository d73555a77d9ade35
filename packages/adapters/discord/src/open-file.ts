import { fileTooLarge, limitBytes } from "@talaria/adapter-kit";
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
  const forwarded = message?.message_snapshots.flatMap(({ message: { attachments } }) => attachments) ?? [];
  const file = [...(message?.attachments ?? []), ...forwarded].find(({ id }) => id === fileId);
  if (file?.url === undefined) throw gone();
  if (file.size !== undefined && file.size > maxFileBytes) throw fileTooLarge(maxFileBytes);
  return limitBytes(await download(client, file.url, signal), maxFileBytes);
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

function gone(): GatewayError {
  return new GatewayError("discord no longer has the file", { code: "not_found" });
}
