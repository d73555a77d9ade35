import { platformSchema } from "@talaria/protocol";
import { z } from "zod";
import { proxySchema } from "./url-schema.ts";

const scope = z.enum(["conversation", "thread", "sender"]);
const busyMode = z.enum(["queue", "steer", "interrupt"]);

const accessSchema = z.strictObject({
  direct: z
    .enum(["pairing", "allowlist", "open", "off"])
    .default("pairing")
    .describe(
      "Who may write in direct conversations. `pairing` asks owners about strangers: they let them in with a button, `/people` or `talaria people`.",
    ),
  groups: z.enum(["allowlist", "open", "off"]).default("allowlist").describe("Which groups the agent reads."),
  allow: z
    .array(z.string())
    .default([])
    .describe("Ids, never names: `<platform>:user:<id>` and `<platform>:group:<id>`."),
  bots: z
    .enum(["off", "on"])
    .default("off")
    .describe("Whether other bots are answered. They need the same access as a person."),
  maxBotTurns: z
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe("Maximum consecutive answers to bots in one conversation, until a person writes."),
});

const groupsSchema = z.strictObject({
  activation: z
    .enum(["mention", "reply", "keyword", "always"])
    .default("mention")
    .describe(
      "What the agent answers in groups. `mention`: mentions and replies to it. `reply`: only replies to it. `keyword`: as `mention`, plus the keywords.",
    ),
  keywords: z
    .array(
      z
        .string()
        .max(40)
        .regex(/[\p{L}\p{N}]/u, "needs a letter or a digit"),
    )
    .max(20)
    .default([])
    .describe("Words that address the agent: whole words, in any case. Needs activation `keyword`."),
  threadHours: z
    .number()
    .min(0)
    .max(720)
    .default(24)
    .describe(
      "How long after its last answer in a thread the agent answers there without a mention. 0 disables this. Needs activation `mention` or `keyword`.",
    ),
  ambient: z
    .strictObject({
      messages: z
        .int()
        .min(0)
        .max(100)
        .default(20)
        .describe(
          "How many messages to others the agent reads along with the next one to it, and how many more that are only files. 0 keeps none.",
        ),
      maxAgeMs: z.int().min(1_000).max(86_400_000).default(3_600_000).describe("Maximum age of these messages."),
    })
    .prefault({}),
});

const catchUpSchema = z.strictObject({
  maxAgeMs: z
    .int()
    .min(60_000)
    .max(2_592_000_000)
    .default(86_400_000)
    .describe("Maximum age of a message that arrived while Talaria was down. Older ones are not answered."),
  notice: z.boolean().default(true).describe("Whether to tell the conversation about unanswered messages."),
});

/** The keys that every account has, whatever its platform. */
export const accountKeysSchema = z.strictObject({
  platform: platformSchema,
  enabled: z.boolean().default(true).describe("`false` disables the account without validating it."),
  access: accessSchema.prefault({}),
  groups: groupsSchema.prefault({}),
  catchUp: catchUpSchema.prefault({}),
  reactions: z
    .strictObject({
      status: z.boolean().default(false).describe("Show progress with reactions: seen, working, done."),
    })
    .prefault({}),
  proxy: proxySchema.optional().describe("HTTP proxy for this account. May contain user and password."),
  sessions: z
    .strictObject({
      direct: scope.default("thread").describe("Who shares a session in direct conversations."),
      groups: scope.default("thread").describe("Who shares a session in groups."),
    })
    .prefault({}),
  busy: z
    .strictObject({
      direct: busyMode
        .default("steer")
        .describe("How a message that arrives during a turn is handled, in direct conversations."),
      groups: busyMode.default("queue").describe("How a message that arrives during a turn is handled, in groups."),
    })
    .prefault({}),
});

/** An account as it stands in the file: the common keys, and the own ones of one of these platforms. */
export function accountSchemaFor(platforms: readonly string[]) {
  return z.looseObject({
    ...accountKeysSchema.shape,
    platform: z.enum(platforms).describe("The platform of the account."),
  });
}
