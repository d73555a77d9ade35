import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault, FaultPlan } from "@talaria/testkit";
import { ApiError, tooManyRequests } from "./api-error.ts";
import type { Call, CallLog } from "./call-log.ts";
import { findMethod } from "./methods/index.ts";
import { maxUploadBytes } from "./methods/media.ts";
import type { Method } from "./methods/method.ts";
import { type Parameters, readParameters } from "./parameters.ts";
import type { BotAccount, World } from "./world.ts";

interface ServerParts {
  readonly world: World;
  readonly calls: CallLog;
  readonly faults: FaultPlan;
  readonly stopping: AbortSignal;
}

const maxBodyBytes = maxUploadBytes + 1_024 * 1_024;

/** Answers `/bot<token>/<method>` and `/file/bot<token>/<path>`. */
export function createRequestListener(parts: ServerParts): RequestListener {
  return (request, response) => {
    const answer = request.url?.startsWith("/file/") ? answerDownload : answerCall;
    answer(parts, request, response).catch((error: unknown) => {
      if (error instanceof ApiError) refuse(response, error);
      else if (!response.destroyed) refuse(response, new ApiError(500, `Internal Server Error: ${String(error)}`));
    });
  };
}

async function answerCall(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const path = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(url.pathname);
  const body = await readBody(request);
  const bot = path?.[1] === undefined ? undefined : parts.world.bots.get(decodeURIComponent(path[1]));
  if (path === null) throw new ApiError(404, "Not Found");
  if (bot === undefined) throw new ApiError(401, "Unauthorized");
  const method = findMethod(path[2] ?? "");
  const parameters = readParameters(url.searchParams, request.headers["content-type"] ?? "", body);
  const call = toCall(parts, bot, method?.name ?? path[2] ?? "", parameters);
  await parts.calls.record(call);
  const fault = parts.faults.take(call.method, parameters.values);
  if (fault?.kind === "delay") await delay(fault.ms, undefined, { signal: parts.stopping });
  const carryOut = fault === undefined || fault.kind === "delay" || fault.effect === "done";
  const run = method?.run ?? notFound;
  const outcome = carryOut ? await perform(parts, run, bot, parameters, response) : undefined;
  finish(response, call, fault, outcome);
}

const notFound: Method = () => {
  throw new ApiError(404, "Not Found");
};

type Outcome = { readonly result: unknown } | { readonly error: ApiError };

/** Runs the method; the signal ends when the caller hangs up or the server stops. */
async function perform(
  { world, stopping }: ServerParts,
  run: Method,
  bot: BotAccount,
  parameters: Parameters,
  response: ServerResponse,
): Promise<Outcome> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  response.once("close", abort);
  stopping.addEventListener("abort", abort, { once: true });
  try {
    return { result: await run({ world, bot, parameters, signal: gone.signal }) };
  } catch (error) {
    if (error instanceof ApiError) return { error };
    throw error;
  } finally {
    response.off("close", abort);
    stopping.removeEventListener("abort", abort);
  }
}

/** Writes the outcome, or what a fault makes of it. */
function finish(response: ServerResponse, call: Call, fault: Fault | undefined, outcome: Outcome | undefined): void {
  if (outcome && "result" in outcome) call.result = outcome.result;
  if (fault?.kind === "drop" || fault?.kind === "hang") {
    call.outcome = "dropped";
    if (fault.kind === "drop") response.destroy();
    return;
  }
  const error = fault?.kind === "answer" ? toError(fault) : outcome && "error" in outcome ? outcome.error : undefined;
  if (error) {
    call.outcome = "refused";
    call.errorCode = error.code;
    call.description = error.message;
    if (fault?.kind === "answer" && fault.location !== undefined)
      response.writeHead(fault.code, { location: fault.location }).end();
    else if (fault?.kind === "answer" && fault.body !== undefined) send(response, fault.code, fault.body, "text/html");
    else refuse(response, error);
    return;
  }
  call.outcome = "ok";
  send(response, 200, JSON.stringify({ ok: true, result: call.result }));
}

function toError(fault: Fault & { kind: "answer" }): ApiError {
  if (fault.code === 429) return tooManyRequests(fault.retryAfter ?? 1);
  const reason = { 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 502: "Bad Gateway" }[fault.code];
  return new ApiError(fault.code, fault.description ?? reason ?? "Internal Server Error");
}

async function answerDownload(parts: ServerParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = /^\/file\/bot([^/]+)\/(.+)$/.exec(request.url ?? "");
  const bot = parts.world.bots.get(decodeURIComponent(path?.[1] ?? ""));
  if (bot === undefined) throw new ApiError(401, "Unauthorized");
  const parameters = readParameters(
    new URLSearchParams({ path: decodeURIComponent(path?.[2] ?? "") }),
    "",
    Buffer.alloc(0),
  );
  const call = toCall(parts, bot, "download", parameters);
  await parts.calls.record(call);
  const fault = parts.faults.take("download", parameters.values);
  if (fault?.kind === "delay") await delay(fault.ms, undefined, { signal: parts.stopping });
  else if (fault) return finish(response, call, fault, undefined);
  const file = parts.world.files.byPath(parameters.text("path"));
  if (file === undefined) throw new ApiError(404, "Not Found");
  call.outcome = "ok";
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": file.bytes.byteLength });
  response.end(file.bytes);
}

function toCall({ world }: ServerParts, bot: BotAccount, method: string, parameters: Parameters): Call {
  return {
    method,
    at: world.now(),
    botId: bot.user.id,
    parameters: parameters.values,
    uploads: [...parameters.files.values()].map((file) => file.name),
    outcome: "pending",
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new ApiError(413, "Request Entity Too Large");
    chunks.push(chunk);
  }
  if (chunks.length === 1 && chunks[0]) return chunks[0];
  return Buffer.concat(chunks);
}

function refuse(response: ServerResponse, error: ApiError): void {
  const headers = error.parameters?.retry_after === undefined ? {} : { "retry-after": error.parameters.retry_after };
  send(response, error.code, JSON.stringify(error.toBody()), "application/json", headers);
}

function send(
  response: ServerResponse,
  status: number,
  body: string,
  type = "application/json",
  headers: Record<string, number> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(body), ...headers });
  response.end(body);
}
