import type { WebhookConfig } from "./config.ts";
import { type RequestValues, valueAt } from "./request-values.ts";

/** Why a proven request starts no turn. */
export type Unwanted = "ping" | "event" | "when";

/**
 * Where each scheme has the name of an event; the first that is there counts. GitHub: "Webhook events and payloads", delivery
 * headers. GitLab: "Webhooks", delivery headers. Standard Webhooks 1.0.0, section "Payload structure": `type`.
 */
const eventPaths: Readonly<Record<WebhookConfig["scheme"], readonly string[]>> = {
  github: ["headers.x-github-event"],
  gitlab: ["headers.x-gitlab-event"],
  standard: ["body.type"],
  hmac: ["headers.x-event-type", "body.type"],
  token: ["headers.x-event-type", "body.type"],
};

/** The sender's name for what happened, such as `workflow_run` or `Pipeline Hook`. Undefined where it has none. */
export function eventNameOf(values: RequestValues, { scheme, eventFrom }: WebhookConfig): string | undefined {
  const paths = eventFrom === undefined ? eventPaths[scheme] : [eventFrom];
  const names = paths.map((path) => valueAt(path, values));
  return names.find((name): name is string => typeof name === "string" && name !== "");
}

/**
 * Why the route drops a request; undefined when it wants it. A `ping` only asks whether the route answers, so it is always
 * dropped. With `events`, a request without a name is dropped too. Every condition of `when` has to hold.
 */
export function unwantedBecause(values: RequestValues, config: WebhookConfig): Unwanted | undefined {
  const { events, when = {} } = config;
  const name = eventNameOf(values, config)?.toLowerCase();
  if (name === "ping") return "ping";
  if (events !== undefined && !events.some((event) => event.toLowerCase() === name)) return "event";
  const holds = Object.entries(when).every(([path, wanted]) =>
    wanted.some((one) => isSame(valueAt(path, values), one)),
  );
  return holds ? undefined : "when";
}

/** A form has texts only, so a number and its digits are the same. Objects, lists and null equal nothing. */
function isSame(value: unknown, wanted: string | number | boolean): boolean {
  return value !== undefined && typeof value !== "object" && String(value) === String(wanted);
}
