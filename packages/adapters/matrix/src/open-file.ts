import { fileTooLarge, limitBytes } from "@talaria/adapter-kit";
import { GatewayError, isGatewayError, type MediaRef } from "@talaria/protocol";
import { maxFileBytes } from "./capabilities.ts";
import { type MatrixClient, path } from "./client.ts";
import { errcodeOf, toGatewayError } from "./errors.ts";
import { decryptFile } from "./file-cipher.ts";
import { placeOf } from "./media-ref.ts";

/**
 * The bytes of a file somebody sent. An encrypted one is read whole and checked before anything of it is given out.
 * Throws `too_large` above 25 MiB, at the latest while it is read.
 */
export async function openFile(
  client: MatrixClient,
  ref: MediaRef,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const place = placeOf(ref);
  if (place === undefined) throw new GatewayError("this is not a matrix file", { code: "not_found" });
  const response = await download(client, place, signal);
  if (Number(response.headers.get("content-length") ?? 0) > maxFileBytes) {
    await response.body?.cancel();
    throw fileTooLarge(maxFileBytes);
  }
  const bytes = limitBytes(response.body as ReadableStream<Uint8Array>, maxFileBytes);
  if (place.lock === undefined) return bytes;
  const plain = decryptFile(await whole(bytes, signal), place.lock);
  return new Blob([new Uint8Array(plain)]).stream();
}

/** Homeservers from before authenticated media (specification 1.11) know only the older address. */
async function download(
  client: MatrixClient,
  { server, mediaId }: { server: string; mediaId: string },
  signal: AbortSignal,
) {
  try {
    return await client.open(path`/client/v1/media/download/${server}/${mediaId}`, signal);
  } catch (error) {
    if (!isGatewayError(error) || errcodeOf(error) !== "M_UNRECOGNIZED") throw error;
    return client.open(path`/media/v3/download/${server}/${mediaId}`, signal);
  }
}

async function whole(stream: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    throw toGatewayError(error, "a download", signal);
  }
  return Buffer.concat(chunks);
}
