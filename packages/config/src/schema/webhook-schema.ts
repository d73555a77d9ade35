import { z } from "zod";
import { isLinkLocal } from "../link-local.ts";
import type { Secret } from "../secret.ts";
import { strongSecretSchema } from "./secret-schema.ts";
import { httpUrlSchema } from "./url-schema.ts";

/** Where the answer to a webhook goes. */
export type WebhookAnswer =
  /** Into a conversation of a configured account. */
  | { readonly kind: "deliver"; readonly account: string; readonly conversation: string; readonly thread?: string }
  /** Posted to this address. */
  | { readonly kind: "callback"; readonly url: string }
  /** In the HTTP response itself. */
  | { readonly kind: "wait" };

type Scalar = string | number | boolean;

/** One inbound webhook route, served at `/webhooks/<name>`. */
export interface WebhookConfig {
  readonly scheme: "github" | "gitlab" | "standard" | "hmac" | "token";
  /** At least one. Any of them authenticates a request, so that secrets can be rotated. */
  readonly secrets: readonly Secret[];
  /** Lower-case name of the header with the signature or token; only with `hmac` and `token`. */
  readonly header?: string;
  readonly prompt: string;
  readonly answer: WebhookAnswer;
  readonly maxBodyBytes: number;
  /** The owner for whom it acts, as in `owners`. Always together with `toolset`. */
  readonly onBehalfOf?: string;
  /** The toolsets that its turns have besides those of everybody. */
  readonly toolset?: readonly string[];
  /** Accept requests with neither an id nor a timestamp, whose replays cannot be detected. */
  readonly unsafe_no_replay: boolean;
  /** With `github` and `hmac`: take a body again that came before under another id. */
  readonly unsafe_repeated_body: boolean;
  /** Names of the sender's events that start a turn. Without it: all of them. */
  readonly events?: readonly string[];
  /** Path of the name of an event, where the scheme's own place is not the right one. */
  readonly eventFrom?: string;
  /** Values that a request has to have to start a turn, by path; one of each list. */
  readonly when?: Readonly<Record<string, readonly Scalar[]>>;
  /** Rate limit. Absent: no limit for authenticated requests. */
  readonly rate?: { readonly perMinute: number; readonly burst: number };
  /** Events that follow each other within so many milliseconds become one turn. */
  readonly coalesceMs?: number;
  /** A template: only events for which it gives the same text belong together. */
  readonly coalesceBy?: string;
}

const deliverSchema = z.strictObject({
  account: z.string().min(1).describe("Account that delivers the answer."),
  conversation: z.string().min(1).describe("The platform's id of the conversation."),
  thread: z.string().min(1).optional().describe("The platform's id of a thread in it."),
});

const rateSchema = z.strictObject({
  perMinute: z.int().min(1).max(60_000).describe("Sustained rate limit, in requests per minute."),
  burst: z.int().min(1).max(10_000).default(10).describe("Requests allowed at once after a quiet period."),
});

const scalarSchema = z.union([z.string().max(1_000), z.number(), z.boolean()]);

const pathSchema = z
  .string()
  .max(200)
  .regex(/^(?:body|headers)(?:\.[\w-]+|\[\d+\])+$/, "has to be a path such as `body.action` or `headers.x-event-key`");

const eventSchema = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => name.toLowerCase() !== "ping", "a `ping` never starts a turn: leave it out");

const whenSchema = z
  .record(z.string(), z.union([scalarSchema, z.array(scalarSchema).min(1, "needs at least one value").max(100)]))
  .superRefine((conditions, context) => {
    const paths = Object.keys(conditions);
    if (paths.length === 0 || paths.length > 50)
      context.addIssue({ code: "custom", message: "needs 1 to 50 conditions such as `body.action: completed`" });
    for (const path of paths) {
      const problem = pathSchema.safeParse(path).error?.issues[0]?.message;
      if (problem !== undefined) context.addIssue({ code: "custom", path: [path], message: problem });
    }
  });

const webhookKeysSchema = z.strictObject({
  scheme: z.enum(["github", "gitlab", "standard", "hmac", "token"]).describe("How a request is authenticated."),
  secret: strongSecretSchema.optional().describe("Shared secret, at least 16 bytes."),
  secrets: z.array(strongSecretSchema).min(1).optional().describe("Several secrets instead of one, for rotation."),
  header: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, "must be the name of an HTTP header")
    .optional()
    .describe("Header that carries the signature or token. Only with `hmac` and `token`."),
  prompt: z
    .string()
    .min(1)
    .max(100_000)
    .describe("Prompt for the agent. `{{ body.x.y }}` inserts values from the request."),
  deliver: deliverSchema.optional().describe("Send the answer to this conversation."),
  callbackUrl: httpUrlSchema.optional().describe("POST the answer to this URL."),
  unsafe_link_local_callback: z
    .boolean()
    .default(false)
    .describe("Accept a `callbackUrl` at a link-local address, where clouds serve their machines' credentials."),
  wait: z.boolean().default(false).describe("Return the answer in the HTTP response."),
  maxBodyBytes: z.int().min(1).max(104_857_600).default(1_048_576).describe("Maximum size of a request."),
  onBehalfOf: z
    .string()
    .min(1)
    .optional()
    .describe(
      "An entry of `owners`: the route acts with this owner's rights, and asks them where the policy asks. Needs `toolset`.",
    ),
  toolset: z
    .array(z.string().min(1))
    .min(1, "needs at least one toolset such as `terminal`")
    .max(50)
    .optional()
    .describe(
      "Toolsets that the route's turns have: `files`, `terminal`, `code`, `web`, `browser`, `media`, `messages`, `own` for tool files, `mcp_<server>`. Needs `onBehalfOf`.",
    ),
  unsafe_no_replay: z
    .boolean()
    .default(false)
    .describe("Accept requests that have neither an id nor a timestamp, and so can be replayed."),
  unsafe_repeated_body: z
    .boolean()
    .default(false)
    .describe("With `github` and `hmac`, which sign the body alone: accept the same body again under another id."),
  events: z
    .array(eventSchema)
    .min(1)
    .max(100)
    .optional()
    .describe(
      "Names of the sender's events that start a turn, such as `workflow_run`. Others get a 200 and are dropped.",
    ),
  eventFrom: pathSchema
    .optional()
    .describe("Path of the event's name, such as `headers.x-event-key`. Default: where the scheme has it."),
  when: whenSchema
    .optional()
    .describe(
      "Conditions such as `body.action: completed`: each path has the value, or one of a list. Other requests get a 200 and are dropped.",
    ),
  rate: rateSchema.optional().describe("Rate limit of the route. Requests above it get a 429."),
  coalesceMs: z
    .int()
    .min(100)
    .max(600_000)
    .optional()
    .describe("Events closer together than this are answered in one turn."),
  coalesceBy: z
    .string()
    .max(1_000)
    .regex(/\{\{\s*(?:body|headers)[\w.[\]-]*\s*\}\}/, "needs a value of the request, such as `{{ body.id }}`")
    .optional()
    .describe("Combine only events for which this template gives the same text. Default: all events of the route."),
});

/** A webhook route as it stands in the file, checked and turned into what the gateway reads. */
export const webhookSchema = webhookKeysSchema
  .superRefine((route, context) => {
    const refuse = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    if (route.secret === undefined && route.secrets === undefined) refuse("secret", "is required");
    if (route.secret !== undefined && route.secrets !== undefined)
      refuse("secrets", "use either `secret` or `secrets`, not both");
    if (route.header !== undefined && route.scheme !== "hmac" && route.scheme !== "token")
      refuse("header", `scheme ${route.scheme} has its own header`);
    if (route.unsafe_repeated_body && route.scheme !== "github" && route.scheme !== "hmac")
      refuse("unsafe_repeated_body", `scheme ${route.scheme} does not compare bodies alone: leave it out`);
    checkMandate(route, refuse);
    if (route.coalesceBy !== undefined && route.coalesceMs === undefined) refuse("coalesceBy", "needs `coalesceMs`");
    if (route.coalesceMs !== undefined && route.wait)
      refuse("coalesceMs", "a caller with `wait: true` waits for an answer of its own");
    if (route.callbackUrl !== undefined && isLinkLocal(route.callbackUrl) && !route.unsafe_link_local_callback)
      refuse(
        "callbackUrl",
        "is a link-local or metadata address: use another one, or set `unsafe_link_local_callback: true`",
      );
    const answers = [route.deliver !== undefined, route.callbackUrl !== undefined, route.wait].filter(Boolean).length;
    if (answers !== 1)
      refuse("deliver", "name exactly one place for the answer: `deliver`, `callbackUrl` or `wait: true`");
  })
  .transform(
    (route): WebhookConfig => ({
      scheme: route.scheme,
      secrets: route.secrets ?? (route.secret ? [route.secret] : []),
      ...(route.header === undefined ? {} : { header: route.header.toLowerCase() }),
      prompt: route.prompt,
      answer: answerOf(route),
      maxBodyBytes: route.maxBodyBytes,
      ...(route.onBehalfOf === undefined ? {} : { onBehalfOf: route.onBehalfOf }),
      ...(route.toolset === undefined ? {} : { toolset: route.toolset }),
      unsafe_no_replay: route.unsafe_no_replay,
      unsafe_repeated_body: route.unsafe_repeated_body,
      ...(route.events === undefined ? {} : { events: route.events }),
      ...(route.eventFrom === undefined ? {} : { eventFrom: route.eventFrom }),
      ...(route.when === undefined ? {} : { when: listsOf(route.when) }),
      ...(route.rate === undefined ? {} : { rate: route.rate }),
      ...(route.coalesceMs === undefined ? {} : { coalesceMs: route.coalesceMs }),
      ...(route.coalesceBy === undefined ? {} : { coalesceBy: route.coalesceBy }),
    }),
  );

/** Acting for somebody takes both keys, and requests that nobody can repeat. */
function checkMandate(route: z.output<typeof webhookKeysSchema>, refuse: (key: string, message: string) => void): void {
  const { onBehalfOf, toolset } = route;
  if (onBehalfOf === undefined) {
    if (toolset !== undefined)
      refuse("onBehalfOf", "is required with `toolset`: name the owner for whom the route acts");
    return;
  }
  if (toolset === undefined)
    refuse("toolset", "is required with `onBehalfOf`: name what the route may use, such as `[terminal]`");
  for (const key of ["unsafe_no_replay", "unsafe_repeated_body"] as const)
    if (route[key])
      refuse(key, "does not go with `onBehalfOf`: whoever recorded a request could make the route act again");
}

function listsOf(when: z.output<typeof whenSchema>): Readonly<Record<string, readonly Scalar[]>> {
  return Object.fromEntries(
    Object.entries(when).map(([path, wanted]) => [path, Array.isArray(wanted) ? wanted : [wanted]]),
  );
}

function answerOf(route: z.output<typeof webhookKeysSchema>): WebhookAnswer {
  if (route.callbackUrl !== undefined) return { kind: "callback", url: route.callbackUrl };
  if (route.deliver === undefined) return { kind: "wait" };
  const { account, conversation, thread } = route.deliver;
  return { kind: "deliver", account, conversation, ...(thread === undefined ? {} : { thread }) };
}
