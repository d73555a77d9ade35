import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault, FaultPlan } from "@talaria/testkit";
import { ApiError } from "./api-error.ts";
import type { SlackCalls } from "./calls.ts";
import { CallArgs, type Method } from "./method.ts";
import type { World } from "./world.ts";

export interface ApiParts {
  readonly world: World;
  readonly methods: Readonly<Record<string, Method>>;
  readonly botToken: string;
  readonly appToken: string;
  readonly faults: FaultPlan;
  readonly calls: SlackCalls;
  readonly stopping: AbortSignal;
}

/** Largest request: a file and what goes with it. */
const maxRequestBytes = 64 * 1024 * 1024;

/** Answers `/api/<method>`, uploads below `/upload/` and downloads below `/files-pri/`. */
export function createApiListener(parts: ApiParts): RequestListener {
  return (request, response) => {
    answer(parts, request, response).catch(() => response.destroy());
  };
}

async function answer(parts: ApiParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const bytes = await readAll(request);
  if (pathname.startsWith("/api/")) return answerCall(parts, pathname.slice(5), bytes, request, response);
  if (pathname.startsWith("/upload/")) return answerUpload(parts, pathname, bytes, response);
  if (pathname.startsWith("/files-pri/")) return answerDownload(parts, pathname, request, response);
  response.writeHead(404).end();
}

async function answerCall(
  parts: ApiParts,
  name: string,
  bytes: Buffer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const values = valuesOf(bytes, request.headers["content-type"] ?? "");
  const fault = await met(parts, name, values);
  if (fault !== undefined && fault.effect === "none") return misbehave(response, fault);
  const body = outcomeOf(parts, name, values, request);
  if (fault !== undefined) return misbehave(response, fault);
  send(response, 200, body);
}

function outcomeOf(parts: ApiParts, name: string, values: Values, request: IncomingMessage): object {
  const { methods, botToken, appToken, world } = parts;
  try {
    const method = methods[name];
    const token = request.headers.authorization;
    if (method === undefined) throw new ApiError("unknown_method");
    if (token === undefined) throw new ApiError("not_authed");
    const isAppCall = name === "apps.connections.open";
    if (token !== `Bearer ${botToken}` && token !== `Bearer ${appToken}`) throw new ApiError("invalid_auth");
    if ((token === `Bearer ${appToken}`) !== isAppCall) throw new ApiError("not_allowed_token_type");
    return { ok: true, ...method(new CallArgs(values), world, world.origin) };
  } catch (error) {
    if (error instanceof ApiError) return error.toBody();
    return { ok: false, error: "fatal_error" };
  }
}

async function answerUpload(parts: ApiParts, path: string, bytes: Buffer, response: ServerResponse): Promise<void> {
  const fault = await met(parts, "upload", {});
  if (fault !== undefined) return misbehave(response, fault);
  const file = parts.world.files.get(path.split("/").at(-1) ?? "");
  if (file === undefined || bytes.byteLength !== file.length) {
    response.writeHead(400, { "content-type": "text/plain" }).end("bad upload");
    return;
  }
  file.bytes = bytes;
  response.writeHead(200, { "content-type": "text/plain" }).end(`OK - ${bytes.byteLength}`);
}

/** Without the bot's token Slack answers with the page for logging in. */
async function answerDownload(
  parts: ApiParts,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const fault = await met(parts, "download", {});
  if (fault !== undefined) return misbehave(response, fault);
  if (request.headers.authorization !== `Bearer ${parts.botToken}`) {
    response.writeHead(200, { "content-type": "text/html" }).end("<!DOCTYPE html><title>Slack</title>");
    return;
  }
  const file = parts.world.files.get(path.split("/")[2] ?? "");
  if (file?.bytes === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": file.mimetype, "content-length": file.bytes.byteLength }).end(file.bytes);
}

type Values = Readonly<Record<string, unknown>>;
type Misbehaviour = Exclude<Fault, { kind: "delay" }>;

/** Records the call; the fault it meets, if any, after the wait it orders. */
async function met({ calls, faults, stopping }: ApiParts, name: string, values: Values) {
  calls.record({ method: name, at: Date.now(), args: values });
  const fault: Fault | undefined = faults.take(name, values);
  if (fault?.kind !== "delay") return fault as Misbehaviour | undefined;
  await delay(fault.ms, undefined, { signal: stopping });
  return undefined;
}

/** `code` 200 is an answer with `ok: false`, whose error is the description. */
function misbehave(response: ServerResponse, fault: Misbehaviour): void {
  if (fault.kind === "hang") return;
  if (fault.kind === "drop") {
    response.destroy();
    return;
  }
  if (fault.location !== undefined) {
    response.writeHead(fault.code, { location: fault.location }).end();
    return;
  }
  if (fault.body !== undefined) {
    response.writeHead(fault.code, { "content-type": "text/html" }).end(fault.body);
    return;
  }
  const error = fault.description ?? (fault.code === 429 ? "ratelimited" : "internal_error");
  const headers = fault.code === 429 ? { "retry-after": String(fault.retryAfter ?? 1) } : {};
  send(response, fault.code, { ok: false, error }, headers);
}

function valuesOf(bytes: Buffer, type: string): Values {
  const text = bytes.toString("utf8");
  if (type.startsWith("application/json")) return JSON.parse(text) as Values;
  return Object.fromEntries(new URLSearchParams(text));
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxRequestBytes) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function send(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  response
    .writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers })
    .end(JSON.stringify(body));
}
