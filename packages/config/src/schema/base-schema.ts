import { isIP } from "node:net";
import { z } from "zod";
import { browserSchema } from "./browser-schema.ts";
import { imagesSchema, speechSchema } from "./made-media-schema.ts";
import { mcpSchema } from "./mcp-schema.ts";
import { efforts, modelSchema } from "./model-schema.ts";
import { policySchema } from "./policy-schema.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { secretSchema, strongSecretSchema } from "./secret-schema.ts";
import { spendingSchema } from "./spending-schema.ts";
import { databaseSchema, httpUrlSchema, redisSchema } from "./url-schema.ts";
import { webSchema } from "./web-schema.ts";

const milliseconds = (defaultMs: number) => z.int().min(100).default(defaultMs);
const count = (most: number, initial: number) => z.int().min(1).max(most).default(initial);

/** An address, or one with the length of a prefix. */
function isProxyAddress(text: string): boolean {
  if (text === "loopback") return true;
  const [address = "", prefix, ...rest] = text.split("/");
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128));
}

const gatewaySchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .default("127.0.0.1")
    .describe("Address to listen on. Anything but loopback needs `auth.token`."),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(7420)
    .describe("Port to listen on. 0 picks a free port, which the start names."),
  publicUrl: httpUrlSchema.optional().describe("Public address of this gateway. Needed for platforms' webhooks."),
  allowedHosts: z.array(z.string().min(1)).default([]).describe("Additional `Host` header values to accept."),
  trustedProxies: z
    .array(z.string().refine(isProxyAddress, "must be an IP address, a range such as `10.0.0.0/8`, or `loopback`"))
    .max(100)
    .default([])
    .describe("Reverse proxies whose `X-Forwarded-For` is believed: addresses, ranges, or `loopback`."),
  allowedOrigins: z.array(httpUrlSchema).default([]).describe("Other web origins that may call the API."),
});

const authSchema = z.strictObject({
  token: strongSecretSchema
    .optional()
    .describe("Bearer token for the API and the console. If absent, one is generated at first start."),
});

const workersSchema = z.strictObject({
  processes: z.int().min(0).max(256).default(1).describe("Number of worker processes that `talaria start` runs."),
  turns: count(1024, 16).describe("Turns that one worker process runs concurrently."),
});

const agentSchema = z.strictObject({
  model: z.string().min(1).default("main").describe("Name of the entry in `models` to use."),
  notesModel: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "Name of an entry in `models`, small and cheap: it notes decisions and their reasons when a long conversation is shortened. Without it, the conversation is shortened without such notes.",
    ),
  memberModels: z
    .array(z.string().min(1))
    .max(100)
    .default([])
    .describe("Entries of `models` that members may choose for a conversation with `/model`. Owners may choose any."),
  memberEfforts: z
    .array(z.enum(efforts))
    .default([])
    .describe("What members may choose with `/effort`. Owners may choose any."),
  name: z.string().min(1).max(80).default("Talaria").describe("The agent's name."),
  instructions: z.string().max(100_000).default("").describe("Added to the system prompt of every session."),
  maxSteps: count(1_000, 200).describe("Maximum number of model calls in one turn."),
  turnTimeoutMs: milliseconds(3_600_000).describe(
    "Timeout for one turn, without what it waits for people. It begins anew when another worker goes on with the turn, or the turn after it was suspended. The last answer has a minute more.",
  ),
  toolTokens: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(16_000)
    .describe(
      "Estimated tokens of all tools' descriptions. Above it, the model looks for tools of MCP servers and tool files with `find_tools` instead of reading of each in every request.",
    ),
  workspaceInstructions: z
    .boolean()
    .default(true)
    .describe("The agent reads what files such as `AGENTS.md` in a workspace say about the work in their folder."),
  maxReplyChars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(40_000)
    .describe("Maximum length of a reply. A longer one is cut off, with a note."),
});

const leasesSchema = z.strictObject({
  sessionMs: z
    .int()
    .min(1_000)
    .max(600_000)
    .default(15_000)
    .describe(
      "How long a worker that went silent keeps its sessions. A worker whose main thread does not move for so long, and for 15 seconds at least, is ended and started again.",
    ),
  accountMs: z
    .int()
    .min(1_000)
    .max(600_000)
    .default(15_000)
    .describe(
      "How long a gateway that went silent keeps its accounts. One whose main thread does not move for so long, and for 15 seconds at least, is ended and started again.",
    ),
});

const limitsSchema = z.strictObject({
  textChars: z
    .int()
    .min(100)
    .max(1_000_000)
    .default(100_000)
    .describe("Maximum length of an incoming text. A longer one is rejected, and its author is told."),
  retentionDays: count(36_500, 90).describe(
    "Handled events and deliveries older than this are deleted, and conversations in which nothing has happened for so long, with everything the agent remembers of them. The transcript of a conversation that goes on is kept, however old, as far back as its history is read.",
  ),
  spending: spendingSchema.prefault({}),
});

const megabyte = 1_048_576;

const mediaSchema = z.strictObject({
  maxBytes: z
    .int()
    .min(1_024)
    .max(1_024 * megabyte)
    .default(20 * megabyte)
    .describe("Maximum size of a file, in and out. The conversation is told about a larger one."),
  maxPixels: z
    .int()
    .min(1_000)
    .default(40_000_000)
    .describe("Maximum number of pixels (width times height) of an incoming picture."),
  quotaBytes: z
    .int()
    .min(megabyte)
    .default(2_048 * megabyte)
    .describe("Total storage for files. When it is full, the least recently used are deleted."),
});

const transcriptionSchema = z.strictObject({
  baseUrl: httpUrlSchema.optional().describe("Base URL of an OpenAI-compatible API. Default: OpenAI's."),
  apiKey: secretSchema.optional().describe("API key of the provider."),
  model: z.string().min(1).describe("The provider's name for the transcription model."),
  language: z
    .string()
    .regex(/^[a-z]{2,3}$/, "must be a language code such as `en` or `de`")
    .optional()
    .describe("Language of the voice notes, such as `de`. Default: detected by the model."),
  maxBytes: z
    .int()
    .min(1_024)
    .max(100 * megabyte)
    .default(25 * megabyte)
    .describe("Maximum size of a voice note to transcribe."),
  timeoutMs: z.int().min(100).default(60_000).describe("Timeout for one voice note."),
});

const logSchema = z.strictObject({
  level: z.enum(["debug", "info", "warn", "error"]).default("info").describe("Log level. `LOG_LEVEL` overrides it."),
});

const memorySchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      "Whether the agent keeps facts beyond conversations, and knows those that were kept: docs/what-it-remembers.md.",
    ),
  pass: z
    .strictObject({
      model: z
        .string()
        .min(1)
        .describe(
          "Name of an entry in `models`, small and cheap: it goes through what people have written in a conversation that ended with `/new` or is shortened, and keeps facts.",
        ),
      perDay: count(100, 4).describe(
        "How often one conversation is gone through in a day, at most. What is more waits.",
      ),
    })
    .exactOptional()
    .describe("Without it, no model goes through conversations for facts, and nothing is paid for that."),
});

const sessionsSchema = z.strictObject({
  resetAfterIdleMinutes: z
    .int()
    .min(5)
    .max(525_600)
    .exactOptional()
    .describe(
      "A conversation in which nothing was said for so long ends as by `/new`. Without it, none does. The console's conversations go on.",
    ),
  resetDailyAt: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a time of day such as `04:00`")
    .exactOptional()
    .describe(
      "Conversations end as by `/new` every day at this time, except those that are busy then. Without it, none does.",
    ),
  timeZone: z
    .string()
    .refine(isTimeZone, "must be the name of a time zone such as `Europe/Oslo`")
    .default("UTC")
    .describe("By whose clock `resetDailyAt` counts."),
});

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** Everything but accounts and webhook routes. An error in here makes the whole file invalid. */
export const baseSchema = z.strictObject({
  gateway: gatewaySchema.prefault({}),
  auth: authSchema.prefault({}),
  database: databaseSchema
    .prefault("embedded")
    .describe("`embedded` or `postgres://...`. `DATABASE_URL` overrides it."),
  redis: redisSchema
    .prefault("none")
    .describe("`none` (queue on PostgreSQL) or `redis://...`. `REDIS_URL` overrides it."),
  workers: workersSchema.prefault({}),
  models: z.record(z.string(), modelSchema).default({}),
  agent: agentSchema.prefault({}),
  leases: leasesSchema.prefault({}),
  owners: z
    .array(z.string())
    .max(100)
    .default([])
    .describe("Who may do everything: ids such as `telegram:user:123456`, never names."),
  policy: policySchema.prefault({}),
  sandbox: sandboxSchema.prefault({}),
  web: webSchema.prefault({}),
  memory: memorySchema.prefault({}),
  sessions: sessionsSchema.prefault({}),
  browser: browserSchema.prefault({}),
  mcp: mcpSchema.prefault({}),
  limits: limitsSchema.prefault({}),
  media: mediaSchema.prefault({}),
  transcription: transcriptionSchema
    .optional()
    .describe(
      "Transcribes voice notes, and other recordings where people ask for it. If absent, the agent only sees that there was one.",
    ),
  images: imagesSchema.optional().describe("Makes pictures that people ask for. If absent, the agent can't."),
  speech: speechSchema.optional().describe("Says texts aloud where people ask for it. If absent, the agent can't."),
  log: logSchema.prefault({}),
});
