import type { MediaSource } from "@talaria/adapter";
import { GatewayError, isGatewayError, type MediaRef, type Platform } from "@talaria/protocol";

export interface MediaLimit {
  /** Named in the error. */
  readonly platform: Platform;
  readonly maxBytes: number;
}

/** An outgoing file, whole. Throws only GatewayError with effect none: nothing was sent. `too_large` above the limit. */
export async function readMedia(
  media: MediaSource,
  ref: MediaRef,
  limit: MediaLimit,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    return await bytesOf(await media.open(ref, signal), limit);
  } catch (error) {
    if (isGatewayError(error)) throw error;
    if (signal.aborted)
      throw new GatewayError("aborted before the upload", { code: "aborted", effect: "none", cause: error });
    throw new GatewayError("a file could not be read", { code: "unavailable", effect: "none", cause: error });
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>, { platform, maxBytes }: MediaLimit): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.byteLength;
    if (length > maxBytes)
      throw new GatewayError(`a file is larger than ${platform} takes`, { code: "too_large", details: { maxBytes } });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
