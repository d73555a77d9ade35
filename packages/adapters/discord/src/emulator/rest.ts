import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault, FaultPlan } from "@talaria/testkit";
import { ApiError, entityTooLarge, notFound, unauthorized } from "./api-error.ts";
import type { DiscordCall, DiscordCalls } from "./calls.ts";
import type { RateLimits } from "./rate-limits.ts";
import { readBody } from "./rest-request.ts";
import type { RouteCall } from "./route.ts";
import { type FoundRoute, findRoute } from "./routes.ts";

export interface RestParts extends Pick<RouteCall, "world" | "seer" | "interactions" | "gatewayInfo" | "commands"> {
  readonly token: string;
  readonly limits: RateLimits | undefined;
  readonly faults: FaultPlan;
  /** Met before the body is read. */
  readonly hasty: FaultPlan;
  readonly calls: DiscordCalls;
  readonly stopping: AbortSignal;
}

/** Largest request that Discord takes. */
const maxRequestBytes = 25 * 1024 * 1024;

/** Answers `/api/v10/...` and the downloads below `/attachments/`. */
export function createRestListener(parts: RestParts): RequestListener {
  return (request, response) => {
    const answer = request.url?.startsWith("/attachments/") ? answerDownload : answerCall;
    answer(parts, request, response).catch((error: unknown) => {
      if (response.destroyed || parts.stopping.aborted) return response.destroy();
      const refusal =
        error instanceof ApiError ? error : new ApiError(500, 0, `500: Internal Server Error (${String(error)})`);
      return send(response, refusal.status, refusal.toBody());
    });
  };
}

async function answerCall(parts: RestParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const found = findRoute(request.method ?? "GET", url.pathname);
  const hasty = found && parts.hasty.take(found.name, found.parameters);
  if (found !== undefined && hasty !== undefined && hasty.kind !== "delay") {
    const call = { route: found.name, at: parts.world.now(), parameters: found.parameters, body: {}, status: 0 };
    parts.calls.record(call);
    return misbehave(response, hasty, call);
  }
  const bytes = await readAll(request);
  if (found === undefined) throw notFound();
  if (found.needsToken && request.headers.authorization !== `Bot ${parts.token}`) throw unauthorized();
  const content = readBody(bytes, request.headers["content-type"] ?? "");
  const call: DiscordCall = {
    route: found.name,
    at: parts.world.now(),
    parameters: found.parameters,
    body: content.body,
    status: 0,
  };
  parts.calls.record(call);
  const fault = parts.faults.take(found.name, { ...content.body, ...found.parameters });
  if (fault?.kind === "delay") await delay(fault.ms, undefined, { signal: parts.stopping });
  const major = found.parameters.channel;
  const isLimited = fault === undefined && major !== undefined;
  const bucket = isLimited ? parts.limits?.spend(found.bucket, major) : undefined;
  if (bucket?.isOver) {
    call.status = 429;
    return tooMany(response, bucket.retryAfterMs, bucket.headers);
  }
  const isDone = fault === undefined || fault.kind === "delay" || fault.effect === "done";
  const outcome = isDone
    ? perform(found, { ...parts, ...content, query: url.searchParams, parameters: found.parameters })
    : undefined;
  if (fault !== undefined && fault.kind !== "delay") return misbehave(response, fault, call);
  const status = outcome instanceof ApiError ? outcome.status : outcome === undefined ? 204 : 200;
  call.status = status;
  send(response, status, outcome instanceof ApiError ? outcome.toBody() : outcome, bucket?.headers);
}

function perform(found: FoundRoute, call: RouteCall): unknown {
  try {
    return found.run(call);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

function misbehave(response: ServerResponse, fault: Exclude<Fault, { kind: "delay" }>, call: DiscordCall): void {
  if (fault.kind === "hang") return;
  if (fault.kind === "drop") {
    response.destroy();
    return;
  }
  call.status = fault.code;
  const message = fault.description ?? reasons[fault.code] ?? `${fault.code}: Error`;
  if (fault.location !== undefined) response.writeHead(fault.code, { location: fault.location }).end();
  else if (fault.code === 429) tooMany(response, (fault.retryAfter ?? 1) * 1_000, {});
  else if (fault.body === undefined) send(response, fault.code, { message, code: 0 });
  else response.writeHead(fault.code, { "content-type": typeOf(fault.code) }).end(fault.body);
}

/** A body instead of an error is a proxy's page; with 200 it stands for an answer of Discord's. */
function typeOf(code: number): string {
  return code === 200 ? "application/json" : "text/html";
}

const reasons: Readonly<Record<number, string>> = {
  401: "401: Unauthorized",
  403: "403: Forbidden",
  500: "500: Internal Server Error",
  502: "502: Bad Gateway",
  503: "503: Service Unavailable",
};

/** Discord gives seconds with fractions in the body, and whole ones or more in the header. */
function tooMany(response: ServerResponse, retryAfterMs: number, headers: Readonly<Record<string, string>>): void {
  const retry_after = Math.ceil(retryAfterMs) / 1_000;
  const body = { message: "You are being rate limited.", retry_after, global: false };
  send(response, 429, body, { ...headers, "retry-after": String(retry_after), "x-ratelimit-scope": "user" });
}

async function answerDownload(parts: RestParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const [, , channel = "", id = ""] = url.pathname.split("/");
  const call: DiscordCall = {
    route: "download",
    at: parts.world.now(),
    parameters: { channel, id },
    body: {},
    status: 200,
  };
  parts.calls.record(call);
  const fault = parts.faults.take("download", { channel, id });
  if (fault !== undefined && fault.kind !== "delay") return misbehave(response, fault, call);
  const file = parts.world.files.get(id);
  if (file === undefined || !url.searchParams.has("hm")) {
    call.status = 404;
    response.writeHead(404, { "content-type": "text/plain" }).end("This content is no longer available.");
    return;
  }
  response.writeHead(200, { "content-type": file.contentType, "content-length": file.bytes.byteLength });
  response.end(file.bytes);
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxRequestBytes) throw entityTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  const text = body === undefined ? "" : JSON.stringify(body);
  const type =
    text === "" ? {} : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) };
  response.writeHead(status, { ...type, ...headers }).end(text);
}
