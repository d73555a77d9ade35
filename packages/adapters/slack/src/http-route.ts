import { createHmac } from "node:crypto";
import type { WebhookRoute } from "@talaria/adapter";
import { equalSecrets, readBody } from "@talaria/adapter-kit";
import { type AccountId, type Clock, isGatewayError } from "@talaria/protocol";
import { type Brought, type DurableReceiver, retryOf } from "./receiver.ts";

/** Slack's requests are a few KiB; a message with many files is longer. */
export const maxBodyBytes = 1024 * 1024;
/** An older request may be a copy that somebody plays back. */
const freshMs = 5 * 60_000;

export interface RouteDeps {
  readonly accountId: AccountId;
  readonly signingSecret: string;
  readonly clock: Clock;
  /** Who takes what Slack posts; nobody before a start and after a stop. */
  readonly lifecycle: { demand(): { readonly receiver: Pick<DurableReceiver, "take"> } };
}

/**
 * Where Slack posts events, slash commands and presses. The signature is checked over the bytes, before they are read
 * as anything. 200 means recorded; after anything else, and after three seconds, Slack comes again.
 */
export function httpRoute({ accountId, signingSecret, clock, lifecycle }: RouteDeps): WebhookRoute {
  return {
    method: "POST",
    path: `/platforms/${encodeURIComponent(accountId)}`,
    auth: "own",
    maxBodyBytes,
    async handle(request) {
      let bytes: Uint8Array;
      try {
        bytes = await readBody(request, maxBodyBytes);
      } catch (error) {
        return isGatewayError(error, "too_large") ? refuse(413, "the body is too large") : refuse(400, "broken off");
      }
      const problem = checkSignature(request.headers, bytes, signingSecret, clock.now());
      if (problem !== undefined) return refuse(401, problem);
      const body = readRequest(bytes, request.headers.get("content-type") ?? "");
      if (body === undefined) return refuse(400, "the body is not what Slack posts");
      if ("challenge" in body) return new Response(body.challenge, { headers: { "content-type": "text/plain" } });
      try {
        const retry = retryOf(request.headers.get("x-slack-retry-num"), request.headers.get("x-slack-retry-reason"));
        await Promise.race([lifecycle.demand().receiver.take({ ...body, ...retry }), hungUp(request.signal)]);
        return new Response(null, { status: 200 });
      } catch {
        return refuse(503, "not now: try again");
      }
    },
  };
}

function checkSignature(headers: Headers, body: Uint8Array, secret: string, now: number): string | undefined {
  const timestamp = headers.get("x-slack-request-timestamp") ?? "";
  const given = headers.get("x-slack-signature") ?? "";
  if (!/^\d{1,12}$/.test(timestamp) || given === "") return "the signature is missing";
  if (Math.abs(now - Number(timestamp) * 1_000) > freshMs) return "the signature is too old";
  const expected = createHmac("sha256", secret).update(`v0:${timestamp}:`).update(body).digest("hex");
  return equalSecrets(given, `v0=${expected}`) ? undefined : "the signature is wrong";
}

function readRequest(bytes: Uint8Array, type: string): Brought | { readonly challenge: string } | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (type.startsWith("application/x-www-form-urlencoded")) return readForm(new URLSearchParams(text));
    const payload: unknown = JSON.parse(text);
    if (typeof payload !== "object" || payload === null || !("type" in payload)) return undefined;
    if (payload.type === "event_callback") return { kind: "events_api", payload };
    if (payload.type !== "url_verification" || !("challenge" in payload)) return undefined;
    return { challenge: String(payload.challenge).slice(0, 1_000) };
  } catch {
    return undefined;
  }
}

/** Presses come as JSON in one field, slash commands as fields. */
function readForm(form: URLSearchParams): Brought | undefined {
  const press = form.get("payload");
  if (press !== null) return { kind: "interactive", payload: JSON.parse(press) };
  // Slack looks with an empty form whether a certificate is good.
  return form.has("command") ? { kind: "slash_commands", payload: Object.fromEntries(form) } : undefined;
}

function hungUp(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

function refuse(status: number, error: string): Response {
  return Response.json({ error }, { status });
}
