import { GatewayError } from "@talaria/protocol";

/**
 * Reads a request's body. Throws `too_large` as soon as it is known to be longer than `maxBytes`, and then reads no
 * further; a `content-length` that lies changes nothing. Throws `unavailable` when the peer breaks off.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body) {
      length += chunk.byteLength;
      if (length > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError("a request body broke off", { code: "unavailable", effect: "none", cause: error });
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError(`a request body is longer than ${maxBytes} bytes`, {
    code: "too_large",
    details: { maxBytes },
  });
}
