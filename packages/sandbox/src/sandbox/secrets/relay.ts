import { type IncomingMessage, request as openRequest, type RequestOptions, type ServerResponse } from "node:http";
import { pipeline, Readable, type Transform } from "node:stream";
import { pipeline as pipelineToEnd } from "node:stream/promises";
import { createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { type Headers, lookedInto, redactor, redactText, unsearchableCharset } from "@talaria/foreign-content";
import { isGatewayError } from "@talaria/protocol";

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
  /** Is told the status of the answer, and waited for, before any of it goes on. Never rejects. */
  readonly heard?: (status: number) => Promise<void>;
}

/** Sends the request on and its answer back, both as they come: whoever reads slowly holds up whoever writes. */
export function relay(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, values, to, heard = async () => undefined }: Onward,
): void {
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
    void heard(answer.statusCode ?? 502).then(() =>
      orFail(response, () => answerWith(request, response, answer, values)),
    );
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
  if (values.length === 0) {
    response.writeHead(status, statusMessage, headers);
    pipeline([answer, response], (error) => {
      if (error) response.destroy();
    });
    return;
  }
  const hasBody = request.method !== "HEAD" && ![204, 304].includes(status) && headers["content-length"]?.[0] !== "0";
  const encoding = answer.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const stages: Transform[] = [];
  if (hasBody) {
    const decoder = encoding === "identity" ? undefined : decoders[encoding]?.();
    const charset = unsearchableCharset(answer.headers["content-type"] ?? "");
    if ((encoding !== "identity" && decoder === undefined) || charset !== undefined) {
      answer.destroy();
      const how = charset === undefined ? "encoded in a way" : `in the charset ${redactText(charset, values)},`;
      failed(response, 502, `the host's answer is ${how} in which nobody can look for the secret`);
      return;
    }
    if (decoder !== undefined) {
      stages.push(decoder);
      delete headers["content-encoding"];
      delete headers["content-length"];
    }
  }
  const head = () => response.writeHead(status, redactText(statusMessage, values), withoutValues(headers, values));
  const body = pipeline([answer, ...stages, redactor(values)], () => undefined) as unknown as Readable;
  sendLookedInto(lookedInto(body, values), response, head).catch(() => response.destroy());
}

/** Begins the answer with the first piece of its body, so that what is refused for it can be told. */
async function sendLookedInto(
  pieces: AsyncGenerator<Uint8Array>,
  response: ServerResponse,
  head: () => void,
): Promise<void> {
  let first: IteratorResult<Uint8Array, unknown>;
  try {
    first = await pieces.next();
  } catch (error) {
    if (isGatewayError(error)) failed(response, 502, error.message);
    else response.destroy();
    return;
  }
  orFail(response, head);
  if (first.done || response.writableEnded) {
    await pieces.return(undefined);
    response.end();
    return;
  }
  await pipelineToEnd(Readable.from(goingOn(first.value, pieces)), response);
}

async function* goingOn(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/** With stars, and without those whose very name holds a value. */
function withoutValues(headers: Readonly<Record<string, string[]>>, values: readonly string[]) {
  const kept = Object.entries(headers).filter(([name]) => redactText(name, values) === name);
  return Object.fromEntries(kept.map(([name, texts]) => [name, texts.map((text) => redactText(text, values))]));
}

function copyOf(headers: Headers): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, texts = []]) => [name, [...texts]]));
}
