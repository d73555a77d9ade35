import { z } from "zod";

/** A secret that is asked for by name; the configuration's own `Secret` fits. */
export interface SecretText {
  reveal(): string;
}

const secret = z.custom<SecretText>(
  (value) => typeof value === "object" && value !== null && "reveal" in value && typeof value.reveal === "function",
  "must be a secret",
);

const webhookSchemes = ["github", "gitlab", "standard", "hmac", "token"] as const;

/** One inbound route, served at `/webhooks/<route>`. The configuration's own schema is stricter about the file. */
export const webhookConfigSchema = z.strictObject({
  route: z.string().min(1),
  scheme: z.enum(webhookSchemes),
  /** Any of them verifies, so that a secret can be rotated. */
  secrets: z.array(secret).min(1).readonly(),
  /** Lower-case name of the header with signature or token; only for `hmac` and `token`. */
  header: z.string().exactOptional(),
  prompt: z.string().min(1),
  /** The answer goes to this address, into the HTTP response, or where `replyTo` of the dependencies says. */
  answer: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("deliver") }),
    z.object({ kind: z.literal("callback"), url: z.string() }),
    z.object({ kind: z.literal("wait") }),
  ]),
  maxBodyBytes: z.int().min(1),
  /** The owner it acts for, as `<platform>:user:<id>`. Only together with `toolset`. */
  onBehalfOf: z.string().exactOptional(),
  toolset: z.array(z.string()).readonly().exactOptional(),
  unsafe_no_replay: z.boolean(),
  /** Takes a body again that came before under another id, with the schemes that sign the body alone. */
  unsafe_repeated_body: z.boolean(),
  /** Names of the sender's events that start a turn; others are dropped. Without it: all of them. */
  events: z.array(z.string()).readonly().exactOptional(),
  /** Path of the name of an event, where the scheme's own place is not the right one. */
  eventFrom: z.string().exactOptional(),
  /** Values that a request has to have to start a turn, by path; one of each list. */
  when: z.record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean()])).readonly()).exactOptional(),
  /** How many requests the route takes. Without it: any number of proven requests. */
  rate: z.object({ perMinute: z.number().positive(), burst: z.int().min(1) }).exactOptional(),
  /** Events that follow each other within so long become one turn. */
  coalesceMs: z.int().min(1).exactOptional(),
  /** Only events for which this template gives the same text; without it all of the route. */
  coalesceBy: z.string().min(1).exactOptional(),
});

export type WebhookConfig = z.output<typeof webhookConfigSchema>;
