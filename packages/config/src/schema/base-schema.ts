import { z } from "zod";
import { modelSchema } from "./model-schema.ts";
import { secretSchema, strongSecretSchema } from "./secret-schema.ts";
import { databaseSchema, httpUrlSchema, redisSchema } from "./url-schema.ts";

const milliseconds = (defaultMs: number) => z.int().min(100).default(defaultMs);
const count = (most: number, initial: number) => z.int().min(1).max(most).default(initial);

const gatewaySchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("Address to listen on. Beyond loopback needs `auth.token`."),
  port: z.int().min(0).max(65_535).default(7420).describe("Port to listen on; 0 takes any free one."),
  publicUrl: httpUrlSchema.optional().describe("Where the outside reaches this gateway; platforms' webhooks need it."),
  allowedHosts: z.array(z.string().min(1)).default([]).describe("Further values of the `Host` header to answer."),
  allowedOrigins: z.array(httpUrlSchema).default([]).describe("Web pages of other origins that may call the API."),
});

const authSchema = z.strictObject({
  token: strongSecretSchema
    .optional()
    .describe("Bearer token of API and console. Without it one is made at first start."),
});

const workersSchema = z.strictObject({
  processes: z.int().min(0).max(256).default(1).describe("Worker processes that `talaria start` runs."),
  turns: count(1024, 16).describe("Turns that one worker process runs at the same time."),
});

const agentSchema = z.strictObject({
  model: z.string().min(1).default("main").describe("Name of the entry in `models` that answers."),
  name: z.string().min(1).max(80).default("Talaria").describe("What the agent is called."),
  instructions: z.string().max(100_000).default("").describe("Goes into the system prompt of every session."),
  maxSteps: count(1_000, 50).describe("Model calls in one turn before it is ended."),
  turnTimeoutMs: milliseconds(900_000).describe("Longest time one turn may take."),
  maxReplyChars: z.int().min(100).max(1_000_000).default(40_000).describe("A longer reply is cut, and says so."),
});

const leasesSchema = z.strictObject({
  sessionMs: z.int().min(1_000).max(600_000).default(15_000).describe("How long a silent worker keeps a session."),
  accountMs: z.int().min(1_000).max(600_000).default(15_000).describe("How long a silent gateway keeps an account."),
});

const limitsSchema = z.strictObject({
  textChars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(100_000)
    .describe("A longer inbound text is refused, and the person told."),
  retentionDays: count(36_500, 90).describe("Settled events and deliveries older than this are removed."),
});

const megabyte = 1_048_576;

const mediaSchema = z.strictObject({
  maxBytes: z
    .int()
    .min(1_024)
    .max(1_024 * megabyte)
    .default(20 * megabyte)
    .describe("A larger file is not taken in or sent, and the conversation told."),
  maxPixels: z
    .int()
    .min(1_000)
    .default(40_000_000)
    .describe("A picture with more pixels, width times height, is not taken in."),
  quotaBytes: z
    .int()
    .min(megabyte)
    .default(2_048 * megabyte)
    .describe("Room for all files together. When it is full, those that were not used for longest go."),
});

const transcriptionSchema = z.strictObject({
  baseUrl: httpUrlSchema.optional().describe("Base address of an OpenAI-compatible API. Without it, OpenAI's own."),
  apiKey: secretSchema.optional().describe("Key of the provider."),
  model: z.string().min(1).describe("The provider's name of the model that writes down what was said."),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, "must be a language code such as `en` or `de`")
    .optional()
    .describe("Language of the voice notes, such as `de`. Without it, the model finds out."),
  maxBytes: z
    .int()
    .min(1_024)
    .max(100 * megabyte)
    .default(25 * megabyte)
    .describe("A larger voice note is not transcribed."),
  timeoutMs: z.int().min(100).default(60_000).describe("Longest time one voice note may take."),
});

const logSchema = z.strictObject({
  level: z.enum(["debug", "info", "warn", "error"]).default("info").describe("`LOG_LEVEL` wins."),
});

/** Everything but accounts and webhook routes. An error in here makes the whole file invalid. */
export const baseSchema = z.strictObject({
  gateway: gatewaySchema.prefault({}),
  auth: authSchema.prefault({}),
  database: databaseSchema.prefault("embedded").describe("`embedded`, or `postgres://...`. `DATABASE_URL` wins."),
  redis: redisSchema.prefault("none").describe("`none` (queue on PostgreSQL), or `redis://...`. `REDIS_URL` wins."),
  workers: workersSchema.prefault({}),
  models: z.record(z.string(), modelSchema).default({}),
  agent: agentSchema.prefault({}),
  leases: leasesSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  media: mediaSchema.prefault({}),
  transcription: transcriptionSchema
    .optional()
    .describe("Writes down what is said in voice notes. Without it, the agent sees only that there was one."),
  log: logSchema.prefault({}),
});
