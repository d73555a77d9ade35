import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { type FaultPlan, parseMultipart } from "@talaria/testkit";
import type { ChatState } from "./chat-state.ts";
import type { WhatsappAction, WhatsappFault } from "./faults.ts";
import { GraphError, invalid, noSuchObject } from "./graph-error.ts";
import type { SendLimits } from "./pair-limit.ts";
import { isJson, type Json, object, onlyKeys, text } from "./read-json.ts";
import { postMessage } from "./send-message.ts";
import type { WhatsappWorld } from "./world.ts";

export interface WhatsappCall {
  readonly action: WhatsappAction;
  readonly parameters: Json;
  readonly at: number;
}

export interface HttpParts {
  readonly world: WhatsappWorld;
  readonly accessTokens: Set<string>;
  /** Numbers that a test account may write to; undefined for any. */
  readonly allowed: ReadonlySet<string> | undefined;
  readonly faults: FaultPlan<WhatsappFault>;
  readonly limits: SendLimits | undefined;
  readonly calls: WhatsappCall[];
  /** Where the server listens, for the addresses of files. */
  readonly root: () => string;
}

const maxCallBytes = 101 * 1024 * 1024;
const keptCalls = 5_000;

/** One call as it was asked for: carried out by `run`, unless a fault forbids. */
interface Asked {
  readonly action: WhatsappAction;
  readonly parameters: Json;
  readonly run: () => unknown;
}

/** Answers below `/vNN.N/...`, and the addresses of files. */
export function createWhatsappListener(parts: HttpParts): RequestListener {
  return (request, response) => {
    serve(parts, request, response).catch((error: unknown) => {
      if (error instanceof GraphError) return refuse(response, error);
      if (!response.destroyed) refuse(response, new GraphError(131000, String(error)));
    });
  };
}

async function serve(parts: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://localhost");
  const body = await readBody(request);
  checkToken(parts, request);
  const asked = toAsked(parts, request, url, body);
  const { action, parameters } = asked;
  parts.calls.push({ action, parameters, at: parts.world.options.now() });
  if (parts.calls.length > keptCalls) parts.calls.shift();
  const fault = parts.faults.take(action, parameters);
  const result = fault === undefined || fault.effect === "done" ? asked.run() : undefined;
  if (fault !== undefined) return goWrong(response, fault);
  if (result instanceof Buffer) return void response.writeHead(200, { "content-length": result.length }).end(result);
  answer(response, 200, result);
}

function toAsked(parts: HttpParts, request: IncomingMessage, url: URL, body: Buffer): Asked {
  const { world } = parts;
  const { phoneNumberId } = world.options;
  if (url.pathname === "/whatsapp_business/attachments/")
    return { action: "download", parameters: {}, run: () => download(parts, url, request) };
  const [, version = "", id = "", edge] = url.pathname.split("/");
  if (!/^v\d+\.\d+$/.test(version)) throw new GraphError(100, `Unknown path components: ${url.pathname}`);
  const method = request.method ?? "GET";
  const route = `${method} ${id === phoneNumberId ? "number" : "object"}${edge === undefined ? "" : `/${edge}`}`;
  switch (route) {
    case "GET number":
      return {
        action: "phone",
        parameters: {},
        run: () => ({ id, display_phone_number: world.options.displayNumber }),
      };
    case "POST number/messages": {
      const parameters = jsonOf(request, body);
      return { action: actionOf(parameters), parameters, run: () => message(parts, parameters) };
    }
    case "POST number/media":
      return { action: "upload", parameters: {}, run: () => upload(parts, request, body) };
    case "GET object":
      return { action: "media", parameters: { id }, run: () => world.media.describe(id, parts.root()) };
    case "DELETE object":
      return { action: "media", parameters: { id }, run: () => ({ success: world.media.remove(id) }) };
    default:
      throw noSuchObject(id, method);
  }
}

function actionOf({ status, type }: Json): WhatsappAction {
  if (status !== undefined) return "typing";
  return type === "reaction" ? "react" : "send";
}

function message(parts: HttpParts, body: Json): object {
  if (body.messaging_product !== "whatsapp") throw invalid("The parameter messaging_product is required.");
  if (body.status !== undefined) return markRead(parts, body);
  const chat = recipientOf(parts, body);
  const { world, limits } = parts;
  if (body.type !== "reaction") limits?.admit(chat.personId, world.options.now());
  const key = typeof body.biz_opaque_callback_data === "string" ? { key: body.biz_opaque_callback_data } : {};
  const posted = postMessage(body, chat, { media: world.media, now: world.options.now });
  const id = posted.outcome === "shown" ? posted.message.id : posted.id;
  if (posted.outcome === "failed-later") world.pushStatus(chat, id, "failed", { ...key, failed: posted });
  else for (const status of ["sent", "delivered"]) world.pushStatus(chat, id, status, key);
  return {
    messaging_product: "whatsapp",
    contacts: [{ input: body.to ?? body.recipient, wa_id: chat.personId }],
    messages: [{ id }],
  };
}

function recipientOf({ world, allowed }: HttpParts, body: Json): ChatState {
  if (body.to === undefined && body.recipient === undefined) throw invalid("The parameter to is required.");
  const id = text(body, body.to === undefined ? "recipient" : "to");
  if (body.to !== undefined && !/^\+?[\d ()-]{5,24}$/.test(id)) throw invalid("Param to must be a phone number.");
  const chat = world.chatOf(id.replaceAll(/\D/g, "")) ?? world.chatOf(id);
  if (allowed !== undefined && !allowed.has(chat?.personId ?? id))
    throw new GraphError(131030, "Recipient phone number not in allowed list");
  if (chat === undefined) throw new GraphError(131026, "Message undeliverable");
  return chat;
}

function markRead({ world }: HttpParts, body: Json): object {
  onlyKeys(body, "root", ["messaging_product", "status", "message_id", "typing_indicator"]);
  const messageId = text(body, "message_id");
  if (body.status !== "read") throw invalid("Param status must be one of {READ}.");
  const chat = [...world.chats.values()].find(({ messages }) =>
    messages.some(({ id, byBusiness }) => id === messageId && !byBusiness),
  );
  if (chat === undefined) throw new GraphError(131009, "Message ID is not of a message that was received");
  chat.readByBusiness.add(messageId);
  if (body.typing_indicator !== undefined) {
    if (object(body, "typing_indicator").type !== "text") throw invalid("Param typing_indicator['type'] must be text.");
    chat.typing.push({ messageId, at: world.options.now() });
  }
  return { success: true };
}

function upload({ world }: HttpParts, request: IncomingMessage, body: Buffer): object {
  const form = parseMultipart(body, request.headers["content-type"] ?? "");
  if (form.fields.get("messaging_product") !== "whatsapp")
    throw invalid("The parameter messaging_product is required.");
  const file = form.files.get("file");
  if (file === undefined) throw invalid("The parameter file is required.");
  return { id: world.media.upload(file.bytes, file.mimeType).id };
}

function download({ world }: HttpParts, url: URL, request: IncomingMessage): Buffer {
  if ((request.headers["user-agent"] ?? "") === "") throw new GraphError(10, "A user agent is needed");
  const media = world.media.byAddress(url.searchParams.get("mid") ?? "", url.searchParams.get("hash") ?? "");
  if (media === undefined) throw new GraphError(131000, "URL signature expired");
  return media.bytes;
}

function checkToken({ accessTokens }: HttpParts, request: IncomingMessage): void {
  const given = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "")?.[1];
  if (given === undefined || !accessTokens.has(given)) throw new GraphError(190, "Error validating access token");
}

function jsonOf(request: IncomingMessage, body: Buffer): Json {
  if (!request.headers["content-type"]?.startsWith("application/json")) throw invalid("The body must be JSON.");
  try {
    const parsed: unknown = JSON.parse(body.toString("utf8"));
    if (isJson(parsed)) return parsed;
  } catch {
    // Said below.
  }
  throw invalid("The body is no JSON object.");
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxCallBytes) throw new GraphError(131053, "The request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function goWrong(response: ServerResponse, fault: WhatsappFault): void {
  switch (fault.kind) {
    case "error":
      refuse(response, new GraphError(fault.code, "ordered by a test"), fault.retryAfter);
      return;
    case "answer":
      return void response
        .writeHead(fault.status, {
          "content-type": "text/html",
          ...(fault.location !== undefined && { location: fault.location }),
        })
        .end(fault.body);
    case "drop":
      return void response.destroy();
    case "hang":
      return;
    default:
      fault satisfies never;
  }
}

let traces = 0;

function refuse(response: ServerResponse, error: GraphError, retryAfter?: number): void {
  traces += 1;
  const headers = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  answer(response, error.status, error.toBody(`Atrace${traces}`), headers);
}

function answer(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json; charset=UTF-8", ...headers });
  response.end(JSON.stringify(body));
}
