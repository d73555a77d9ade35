import { networkCodeOf, type proxyDispatcher } from "@talaria/adapter-kit";

type Dispatcher = ReturnType<typeof proxyDispatcher> | undefined;

/** A first sync of an account in many rooms is long. */
const maxAnswerBytes = 256 * 1_024 * 1_024;

/**
 * What matrix-js-sdk fetches with. The library applies time limits only until the headers have arrived and reads bodies of
 * any length, so answers are read here, whole. It keeps only the message of a failure, so that is the network's code, such
 * as ECONNREFUSED.
 */
export function boundedFetch(dispatcher: Dispatcher): typeof globalThis.fetch {
  return async (resource, { method, headers, body, signal } = {}) => {
    const init = { method, headers, body, signal, redirect: "error", ...routeThrough(dispatcher) } as RequestInit;
    try {
      return await readWhole(await fetch(resource, init));
    } catch (error) {
      if (signal?.aborted === true) throw error;
      throw new Error(networkCodeOf(error) ?? "no answer", { cause: error });
    }
  };
}

/** Fields of a request that lead it through a proxy. */
export function routeThrough(dispatcher: Dispatcher): RequestInit {
  return dispatcher === undefined ? {} : ({ dispatcher } as unknown as RequestInit);
}

/**
 * An answer with nothing more to come. Errors from proxies say that they are JSON and are not, or the other way round; the
 * library would lose their status.
 */
export async function readWhole(response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  const bytes = await bytesOf(response);
  const type = ok || isJsonObject(bytes) ? "application/json" : "application/octet-stream";
  const retryAfter = headers.get("retry-after");
  return new Response(bytes.length === 0 ? null : bytes, {
    status,
    headers: { "content-type": type, ...(retryAfter !== null && { "retry-after": retryAfter }) },
  });
}

async function bytesOf(response: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > maxAnswerBytes) throw Object.assign(new Error("an answer is endless"), { code: "ANSWER_TOO_LONG" });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function isJsonObject(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
