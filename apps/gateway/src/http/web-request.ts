import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";

/** A request's signal is aborted only while the request itself is held: Node.js refers to it weakly. */
const openRequests = new Set<Request>();

/** The request as adapters read it, its body unread. Its signal is aborted when the connection ends. */
export function toWebRequest(request: FastifyRequest, reply: FastifyReply): Request {
  const gone = new AbortController();
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const item of [value ?? []].flat()) headers.append(name, item);
  const hasBody = request.method !== "GET" && request.method !== "HEAD";
  // The host header may be anything here; the path is what counts.
  const converted = new Request(new URL(request.raw.url ?? "/", "http://gateway"), {
    method: request.method,
    headers,
    signal: gone.signal,
    ...(hasBody ? { body: Readable.toWeb(request.raw) as ReadableStream<Uint8Array>, duplex: "half" } : {}),
  });
  openRequests.add(converted);
  reply.raw.once("close", () => {
    gone.abort();
    openRequests.delete(converted);
  });
  return converted;
}
