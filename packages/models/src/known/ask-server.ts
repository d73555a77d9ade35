import { GatewayError } from "@talaria/protocol";

const mostBytes = 8 * 1_024 * 1_024;
const limitMs = 30_000;

/** What a server answered, whatever its status is. */
export interface ServerAnswer {
  readonly status: number;
  /** Null when the answer is no JSON. */
  readonly body: unknown;
}

/**
 * One short question to a server of models. Follows no redirect. Throws `unavailable` when there is no answer within 30 seconds, or
 * one above 8 MiB.
 */
export async function askServer(url: URL, init: RequestInit, signal: AbortSignal): Promise<ServerAnswer> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const response = await fetch(url, { ...init, redirect: "error", signal: limited });
    return { status: response.status, body: parsed(await textOf(response)) };
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    throw new GatewayError(`nothing answers at ${url.origin}: check the base URL, and that the server runs`, {
      code: "unavailable",
      details: { unreachable: true },
      cause: error,
    });
  }
}

/** The same with a JSON body. */
export function askServerWith(url: URL, body: object, signal: AbortSignal): Promise<ServerAnswer> {
  const headers = { "content-type": "application/json" };
  return askServer(url, { method: "POST", headers, body: JSON.stringify(body) }, signal);
}

async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new GatewayError("the server's answer is above 8 MiB", { code: "unavailable" });
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
