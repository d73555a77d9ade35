import type { AdapterDeps } from "@talaria/adapter";
import { GatewayError, isGatewayError } from "@talaria/protocol";
import type { WebChannel, WebFile, WebPlace } from "./channel.ts";
import { answerJson } from "./inbound.ts";

const refPattern = /^sha256:[0-9a-f]{64}$/;
const namePattern = /^[^\p{Cc}/\\]{1,255}$/u;

/**
 * Keeps the body of a request as it comes, and answers with how a message names it: `{ref, name, mimeType, byteLength}`. Throws
 * `too_large`, with the limit, as soon as there is too much.
 */
export async function putFile(
  request: Request,
  channel: Pick<WebChannel, "keep">,
  maxBytes: number,
): Promise<Response> {
  const name = new URL(request.url).searchParams.get("name") ?? "";
  if (!namePattern.test(name)) throw invalid("name must be the file's, of 1 to 255 characters without / and \\");
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(name, maxBytes);
  if (request.body === null) throw invalid("the body must be the file");
  try {
    const kept = await channel.keep(request.body, request.headers.get("content-type") ?? "", request.signal);
    if (kept.byteLength === 0) throw invalid(`${name} is empty: there is nothing to send`);
    return answerJson(201, { ...kept, name });
  } catch (error) {
    if (isGatewayError(error, "too_large") && error.details.reason === "bytes") throw tooLarge(name, maxBytes);
    if (isGatewayError(error)) throw error;
    throw new GatewayError("the file broke off", { code: "unavailable", effect: "none", cause: error });
  }
}

/**
 * A file of the conversation, to keep and not to show: a page of this address would have the rights of the console.
 * Throws `not_found` for any other.
 */
export async function openFile(
  request: Request,
  place: WebPlace,
  ref: string | undefined,
  { channel, media }: Pick<AdapterDeps, "media"> & { readonly channel: WebChannel },
): Promise<Response> {
  const file = refPattern.test(ref ?? "") ? await channel.file(place, ref ?? "") : undefined;
  if (file === undefined) throw new GatewayError("this conversation has no such file", { code: "not_found" });
  return new Response(await media.open(file.ref, request.signal), { headers: headersOf(file) });
}

function headersOf({ name, mimeType, byteLength }: WebFile): Record<string, string> {
  return {
    "content-type": /^[\w.+-]+\/[\w.+-]+$/.test(mimeType) ? mimeType : "application/octet-stream",
    ...(byteLength === undefined ? {} : { "content-length": `${byteLength}` }),
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "cache-control": "no-store",
  };
}

function invalid(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}

function tooLarge(name: string, maxBytes: number): GatewayError {
  return new GatewayError(`${name} has more than ${maxBytes} bytes, and no larger file is taken (media.maxBytes)`, {
    code: "too_large",
    details: { maxBytes },
  });
}
