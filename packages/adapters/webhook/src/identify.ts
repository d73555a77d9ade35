import { createHash, randomUUID } from "node:crypto";
import { brandAs, type EventId, GatewayError } from "@talaria/protocol";
import type { WebhookConfig } from "./config.ts";
import { isFresh } from "./is-fresh.ts";
import { standardHeaders } from "./standard-headers.ts";

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

/** They sign the body alone: whoever has one signed request could send it again under another id or time. */
const signBodyAlone: ReadonlySet<WebhookConfig["scheme"]> = new Set(["github", "hmac"]);

/**
 * The event's id. Where the scheme signs the body alone, the body is the delivery, whatever its headers say. Else it is the
 * sender's id of the delivery together with the body, so that neither a re-encoded signature nor another body under a known
 * id changes what counts as the same. Never our clock. The store knows an id for as long as it keeps settled events
 * (`limits.retentionDays`). Throws `invalid_request` when the request has a time that is not close to ours, or names
 * neither id nor time and the route does not allow that.
 */
export function eventIdOf(headers: Headers, body: Uint8Array, nowMs: number, config: WebhookConfig): EventId {
  const id = deliveryIdOf(headers, nowMs, config);
  if (id === undefined) return brandAs<EventId>(randomUUID());
  const isBodyAlone = signBodyAlone.has(config.scheme) && !config.unsafe_repeated_body;
  const [shown, hashed] = isBodyAlone ? ["body", ""] : [encodeURIComponent(id).slice(0, shownIdLength), `${id}\n`];
  const digest = createHash("sha256").update(hashed).update(body).digest("base64url").slice(0, 22);
  return brandAs<EventId>(`${shown}.${digest}`);
}

/** What the sender calls this delivery, for the log: at most 200 characters. Undefined where it has no name. */
export function deliveryNameOf(headers: Headers, { scheme }: WebhookConfig): string | undefined {
  const name = givenIds(headers, scheme).find(isPresent);
  return name?.slice(0, 200);
}

/** Undefined where the route accepts that a replay cannot be recognised. */
function deliveryIdOf(headers: Headers, nowMs: number, config: WebhookConfig): string | undefined {
  const names = idHeaders[config.scheme];
  const timestamps = names === genericIds ? timestampHeaders : [];
  for (const name of timestamps) checkTime(name, headers.get(name), nowMs);
  const id = givenIds(headers, config.scheme).find(isPresent);
  if (isPresent(id)) return id;
  const timestamp = timestamps.map((name) => headers.get(name)).find(isPresent);
  if (isPresent(timestamp)) return `at-${timestamp}`;
  if (config.unsafe_no_replay) return undefined;
  const seconds = timestamps.length === 0 ? "" : `, or the seconds since 1970 in ${timestamps.join(" or ")}`;
  throw new GatewayError(
    `a replay could not be recognised: send an id in ${names.join(" or ")}${seconds}, or set unsafe_no_replay: true`,
    { code: "invalid_request" },
  );
}

/** Of Standard Webhooks only the id that is signed. */
function givenIds(headers: Headers, scheme: WebhookConfig["scheme"]): readonly (string | null)[] {
  return scheme === "standard" ? [standardHeaders(headers).id] : idHeaders[scheme].map((name) => headers.get(name));
}

/** A time is checked wherever it comes, also beside an id. */
function checkTime(name: string, time: string | null, nowMs: number): void {
  if (!isPresent(time) || isFresh(time, nowMs)) return;
  throw new GatewayError(`${name} has to be in seconds since 1970 and at most five minutes off`, {
    code: "invalid_request",
  });
}

function isPresent(value: string | null | undefined): value is string {
  return value !== null && value !== undefined && value !== "";
}
