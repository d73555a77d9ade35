import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { Readable } from "node:stream";
import { isElsewhere } from "@talaria/foreign-content";
import { notPublic, publicLookup } from "./public-lookup.ts";

/** Statuses without a body (RFC 9110). */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

export interface PublicRequest {
  readonly signal: AbortSignal;
  /** `publicLookup()` unless told otherwise. */
  readonly lookup?: ReturnType<typeof publicLookup>;
}

/**
 * Gets an address that somebody else chose: without a token, without following redirects, from the public internet only.
 * Throws `forbidden` for an address or a name of another network or of this machine, and what a connection throws. The caller checks the scheme.
 */
export async function fetchPublic(url: URL, { signal, lookup = publicLookup() }: PublicRequest): Promise<Response> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !isElsewhere(host)) throw notPublic();
  const request = url.protocol === "https:" ? httpsRequest : httpRequest;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { signal, lookup, agent: false, headers: { accept: "*/*" } }, resolve)
      .on("error", reject)
      .end();
  });
  return toResponse(answer);
}

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 502 } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers))
    for (const one of Array.isArray(value) ? value : [value ?? ""]) headers.append(name, one);
  const hasBody = !withoutBody.has(status);
  if (!hasBody) answer.resume();
  return new Response(hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null, { status, headers });
}
