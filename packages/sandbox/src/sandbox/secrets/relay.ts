import { type IncomingMessage, request as openRequest, type RequestOptions, type ServerResponse } from "node:http";
import { pipeline, type Transform } from "node:stream";
import { createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { type Headers, redactor, redactText } from "@talaria/foreign-content";

/** Of one connection each (RFC 9110, 7.6.1), and what Node.js sees to itself. */
const ofOneConnection = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer"],
  ...["transfer-encoding", "upgrade", "expect", "http2-settings"],
]);

/** A sender may name these as of one connection, too: without a length, the body would be read as a request of its own. */
const ofTheMessage = new Set(["host", "content-length"]);

/** The headers that go on to the next connection. The framing of the body stays as it is. */
export function passedOn({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): Headers {
  const named = (headersDistinct.connection ?? []).flatMap((text) => text.toLowerCase().split(/[\s,]+/));
  const isDropped = (name: string) => ofOneConnection.has(name) || (named.includes(name) && !ofTheMessage.has(name));
  const kept = Object.entries(headersDistinct).filter(([name]) => !isDropped(name));
  const isChunked = headersDistinct["transfer-encoding"] !== undefined;
  return { ...Object.fromEntries(kept), ...(isChunked && { "transfer-encoding": ["chunked"] }) };
}

export interface Onward {
  readonly headers: Headers;
  /** Must not come back. */
  readonly values: readonly string[];
  /** Where to: see `http.request`. */
  readonly to: Pick<RequestOptions, "socketPath" | "path" | "agent" | "createConnection">;
}

/** Sends the request on and its answer back, both as they come: whoever reads slowly holds up whoever writes. */
export function relay(request: IncomingMessage, response: ServerResponse, { headers, values, to }: Onward): void {
  // One is what Node.js wants to read of it.
  const all = { ...copyOf(headers), ...(headers.host && { host: headers.host[0] ?? "" }) };
  const onward = orFail(response, () =>
    openRequest({ ...to, method: request.method ?? "GET", headers: all, setHost: false }),
  );
  if (onward === undefined) return;
  response.on("error", () => onward.destroy());
  response.once("close", () => onward.destroy());
  // An answer may have begun before the host went away.
  onward.on("error", () => failed(response, 502, "the host gave no answer"));
  onward.once("response", (answer) => {
    answer.on("error", () => response.destroy());
    orFail(response, () => answerWith(request, response, answer, values));
  });
  request.once("error", () => onward.destroy());
  request.once("close", () => {
    if (!request.complete) onward.destroy();
  });
  request.pipe(onward);
}

/** What Node.js can't send on, such as a path or a header with characters that no reader would agree about, it throws for. */
function orFail<Value>(response: ServerResponse, attempt: () => Value): Value | undefined {
  try {
    return attempt();
  } catch {
    failed(response, 502, "the request or its answer has a form that can't be passed on");
    return undefined;
  }
}

/** Says in plain words why there is nothing else. */
export function failed(response: ServerResponse, status: number, why: string): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { "content-type": "text/plain", connection: "close" });
  response.end(`talaria: ${why}\n`);
}

/** Without Brotli: a foreign host's bytes must not reach a decoder with a known hole (CVE-2026-111497). */
const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  zstd: createZstdDecompress,
};

function answerWith(
  request: IncomingMessage,
  response: ServerResponse,
  answer: IncomingMessage,
  values: readonly string[],
): void {
  const { statusCode: status = 502, statusMessage = "" } = answer;
  const { "transfer-encoding": _, ...headers } = copyOf(passedOn(answer));
  const stages: Transform[] = [];
  if (values.length > 0) {
    const encoding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
    const hasBody = request.method !== "HEAD" && ![204, 304].includes(status) && headers["content-length"]?.[0] !== "0";
    if (hasBody && encoding !== "identity") {
      const decoder = decoders[encoding]?.();
      if (decoder === undefined) {
        answer.destroy();
        failed(response, 502, "the host's answer is encoded in a way in which nobody can look for the secret");
        return;
      }
      stages.push(decoder);
      delete headers["content-encoding"];
      delete headers["content-length"];
    }
    stages.push(redactor(values));
    for (const [name, texts] of Object.entries(headers)) headers[name] = texts.map((text) => redactText(text, values));
  }
  response.writeHead(status, redactText(statusMessage, values), headers);
  pipeline([answer, ...stages, response], (error) => {
    if (error) response.destroy();
  });
}

function copyOf(headers: Headers): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, texts = []]) => [name, [...texts]]));
}
