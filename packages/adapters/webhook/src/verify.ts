import { createHmac } from "node:crypto";
import { equalSecrets } from "@talaria/adapter-kit";
import type { SecretText, WebhookConfig } from "./config.ts";
import { isFresh } from "./is-fresh.ts";
import { signingKeys } from "./signing-keys.ts";
import { type StandardHeaders, standardHeaders } from "./standard-headers.ts";

/** Header with the signature or token where the route names none. */
const defaultHeader = { hmac: "x-signature-256", token: "x-webhook-token" };

/** More signatures than this in one header are not looked at. */
const maxSignatures = 16;

export interface WebhookRequest {
  readonly headers: Headers;
  readonly body: Uint8Array;
  readonly nowMs: number;
}

/** Whether one of the route's secrets proves the request. Takes the same time wherever a signature differs. */
export function verify(request: WebhookRequest, config: WebhookConfig): boolean {
  return config.secrets.map((secret) => verifyWith(secret, request, config)).includes(true);
}

/**
 * Whether a token in the headers proves the request; undefined when a signature over the body has to, or when it does not:
 * what a wrong token costs is decided with the body, as for every other scheme.
 */
export function verifyHeaders(headers: Headers, config: WebhookConfig): true | undefined {
  const isToken = config.scheme === "token" || (config.scheme === "gitlab" && !headers.has("webhook-signature"));
  return isToken && verify({ headers, body: new Uint8Array(), nowMs: 0 }, config) ? true : undefined;
}

function verifyWith(secret: SecretText, request: WebhookRequest, config: WebhookConfig): boolean {
  const { headers } = request;
  switch (config.scheme) {
    case "github":
      return isHexSignature(headers.get("x-hub-signature-256"), secret, request.body, "sha256=");
    case "gitlab":
      if (headers.has("webhook-signature")) return isStandardSignature(secret, request, standardHeaders(headers));
      return equalSecrets(headers.get("x-gitlab-token") ?? "", secret.reveal());
    case "standard":
      return isStandardSignature(secret, request, standardHeaders(request.headers));
    case "hmac": {
      const given = headers.get(config.header ?? defaultHeader.hmac);
      return isHexSignature(given, secret, request.body, given?.startsWith("sha256=") ? "sha256=" : "");
    }
    case "token":
      return equalSecrets(tokenOf(headers, config), secret.reveal());
    default:
      return config.scheme satisfies never;
  }
}

function isHexSignature(given: string | null, secret: SecretText, body: Uint8Array, prefix: string): boolean {
  const expected = createHmac("sha256", secret.reveal()).update(body).digest("hex");
  return equalSecrets(given ?? "", prefix + expected);
}

/** Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`, several signatures separated by spaces. */
function isStandardSignature(
  secret: SecretText,
  { body, nowMs }: WebhookRequest,
  { id, timestamp, signature }: StandardHeaders,
): boolean {
  if (id === null || id === "" || timestamp === null || !isFresh(timestamp, nowMs)) return false;
  const given = (signature ?? "").split(" ").slice(0, maxSignatures);
  const expected = signingKeys(secret).map(
    (key) => `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`,
  );
  return given.flatMap((one) => expected.map((other) => equalSecrets(one, other))).includes(true);
}

function tokenOf(headers: Headers, config: WebhookConfig): string {
  const header = config.header ?? defaultHeader.token;
  return (headers.get(header) ?? "").replace(/^Bearer /i, "");
}
