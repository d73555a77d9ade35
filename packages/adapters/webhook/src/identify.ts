import { createHash, randomUUID } from "node:crypto";
import { brandAs, type EventId, GatewayError } from "@talaria/protocol";
import type { WebhookConfig } from "./config.ts";
import { isFresh } from "./is-fresh.ts";

const genericIds = ["webhook-id", "idempotency-key", "x-event-id", "x-delivery-id", "x-request-id"];

/** Headers that name one delivery, by scheme. A provider's retries repeat them. */
const idHeaders: Readonly<Record<WebhookConfig["scheme"], readonly string[]>> = {
  github: ["x-github-delivery"],
  gitlab: ["webhook-id", "idempotency-key", "x-gitlab-event-uuid"],
  standard: ["webhook-id"],
  hmac: genericIds,
  token: genericIds,
};

/** Where senders without ids may say when they sent; a time close to ours stands in for the id. */
const timestampHeaders = ["webhook-timestamp", "x-timestamp"];

/** Readable part of an event's id; the digest tells longer ones apart. */
const shownIdLength = 100;

/**
 * The event's id: the provider's id of the delivery together with the body, so that neither a re-encoded signature nor
 * another body under a known id changes what counts as the same. Never our clock. Throws `invalid_request` when the
 * request names neither id nor time and the route does not allow that.
 */
export function eventIdOf(headers: Headers, body: Uint8Array, nowMs: number, config: WebhookConfig): EventId {
  const id = deliveryIdOf(headers, nowMs, config);
  if (id === undefined) return brandAs<EventId>(randomUUID());
  const digest = createHash("sha256").update(`${id}\n`).update(body).digest("base64url").slice(0, 22);
  return brandAs<EventId>(`${encodeURIComponent(id).slice(0, shownIdLength)}.${digest}`);
}

/** Undefined where the route bears that a replay cannot be told. */
function deliveryIdOf(headers: Headers, nowMs: number, config: WebhookConfig): string | undefined {
  const names = idHeaders[config.scheme];
  const id = names.map((name) => headers.get(name)).find(isPresent);
  if (isPresent(id)) return id;
  const timestamps = names === genericIds ? timestampHeaders : [];
  const timestamp = timestamps.map((name) => headers.get(name)).find(isPresent);
  if (isPresent(timestamp) && isFresh(timestamp, nowMs)) return `at-${timestamp}`;
  if (config.unsafe_no_replay) return undefined;
  const seconds = timestamps.length === 0 ? "" : `, or the seconds since 1970 in ${timestamps.join(" or ")}`;
  throw new GatewayError(
    `a replay could not be told: send an id in ${names.join(" or ")}${seconds}, or set unsafe_no_replay: true`,
    { code: "invalid_request" },
  );
}

function isPresent(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && value !== "";
}
