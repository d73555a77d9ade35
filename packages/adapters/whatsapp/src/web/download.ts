import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { limitBytes, type proxyDispatcher } from "@talaria/adapter-kit";
import { GatewayError, type MediaRef } from "@talaria/protocol";
import { maxFileBytes } from "./capabilities.ts";
import { loadBaileys } from "./load-baileys.ts";
import { readMediaRef } from "./media-ref.ts";

/** Fetches and decrypts a file from WhatsApp's media host, through the proxy of `dispatcher`. Throws `too_large` above the limit, at the latest while it is read. */
export async function download(
  ref: MediaRef,
  dispatcher: ReturnType<typeof proxyDispatcher> | undefined,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const { kind, mediaKey, directPath } = readMediaRef(ref);
  const { downloadContentFromMessage } = await loadBaileys();
  const options = { signal, ...(dispatcher && { dispatcher }) } as unknown as RequestInit;
  const stream = await downloadContentFromMessage({ mediaKey, directPath }, kind, { options }).catch(() => {
    if (signal.aborted) throw new GatewayError("the download was aborted", { code: "aborted", effect: "none" });
    throw new GatewayError("whatsapp no longer has the file, or could not be reached", {
      code: "unavailable",
      effect: "none",
    });
  });
  const bytes = Readable.toWeb(Readable.from(stream)) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>;
  return limitBytes(bytes, maxFileBytes);
}
