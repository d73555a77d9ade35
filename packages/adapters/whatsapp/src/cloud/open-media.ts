import { fileTooLarge, limitBytes } from "@talaria/adapter-kit";
import { GatewayError, isGatewayError, type MediaRef } from "@talaria/protocol";
import { z } from "zod";
import { maxBytes } from "./capabilities.ts";
import type { CloudClient } from "./client.ts";

const maxLength = maxBytes.document;

const description = z.object({
  url: z.url(),
  file_size: z.union([z.number(), z.string().transform(Number)]).optional(),
});

/**
 * The bytes of a file somebody sent, which WhatsApp keeps for 30 days. Its id gives an address that holds for five
 * minutes, so each time both are asked for. Throws `not_found` later, and `too_large` above 100 MiB.
 */
export async function openMedia(
  api: CloudClient,
  ref: MediaRef,
  phoneNumberId: string,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  if (!/^[\w-]{1,128}$/.test(ref))
    throw new GatewayError("whatsapp has no file with such an id", { code: "not_found" });
  const path = `${ref}?phone_number_id=${phoneNumberId}`;
  const { data } = description.safeParse(await describe(api, path, signal));
  if (data === undefined)
    throw new GatewayError("whatsapp's description of a file could not be read", { code: "unavailable" });
  if ((data.file_size ?? 0) > maxLength) throw fileTooLarge(maxLength);
  return limitBytes(await api.download(data.url, signal), maxLength);
}

/** Meta answers 400 and code 100 for a file that is gone. */
async function describe(api: CloudClient, path: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await api.call({ action: "media", path }, signal);
  } catch (error) {
    if (!isGatewayError(error, "invalid_request")) throw error;
    throw new GatewayError("whatsapp no longer has the file", { code: "not_found", cause: error });
  }
}
