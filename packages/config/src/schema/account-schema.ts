import { platformSchema } from "@talaria/protocol";
import { z } from "zod";
import { proxySchema } from "./url-schema.ts";

const scope = z.enum(["conversation", "thread", "sender"]);
const busyMode = z.enum(["queue", "steer", "interrupt"]);

const accessSchema = z.strictObject({
  direct: z
    .enum(["pairing", "allowlist", "open", "off"])
    .default("pairing")
    .describe("Who may write in direct: `pairing` gives strangers a code that an operator approves."),
  groups: z.enum(["allowlist", "open", "off"]).default("allowlist").describe("Which groups the agent reads."),
  allow: z
    .array(z.string())
    .default([])
    .describe("Ids, never names: `<platform>:user:<id>` and `<platform>:group:<id>`."),
  bots: z
    .enum(["off", "on"])
    .default("off")
    .describe("Whether other bots are answered, where a person with their id would be."),
  maxBotTurns: z
    .int()
    .min(1)
    .max(100)
    .default(5)
    .describe("Answers to bots in a row in one conversation, until a person writes."),
});

const groupsSchema = z.strictObject({
  activation: z
    .enum(["mention", "reply", "keyword", "always"])
    .default("mention")
    .describe(
      "What the agent answers in groups. `mention`: its name, and replies to it. `reply`: only replies to it. `keyword`: as `mention`, and the keywords.",
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
    .describe("Whole words in any case that call the agent. Needs activation `keyword`."),
  ambient: z
    .strictObject({
      messages: z
        .int()
        .min(0)
        .max(100)
        .default(20)
        .describe("Messages to others that the agent reads before the next one to it. 0: none are kept."),
      maxAgeMs: z.int().min(1_000).max(86_400_000).default(3_600_000).describe("Older ones are forgotten."),
    })
    .prefault({}),
});

const catchUpSchema = z.strictObject({
  maxAgeMs: z
    .int()
    .min(60_000)
    .max(2_592_000_000)
    .default(86_400_000)
    .describe("What was written longer ago, while nothing ran, is not answered."),
  notice: z.boolean().default(true).describe("Whether the conversation is told that messages were not answered."),
});

/** The keys that every account has, whatever its platform. */
export const accountKeysSchema = z.strictObject({
  platform: platformSchema,
  enabled: z.boolean().default(true).describe("`false` leaves the account out without checking it."),
  access: accessSchema.prefault({}),
  groups: groupsSchema.prefault({}),
  catchUp: catchUpSchema.prefault({}),
  reactions: z
    .strictObject({
      status: z
        .boolean()
        .default(false)
        .describe("Shows with reactions that a message was seen, is worked on, is done."),
    })
    .prefault({}),
  proxy: proxySchema.optional().describe("Reach the platform through this HTTP proxy. May have user and password."),
  sessions: z
    .strictObject({
      direct: scope.default("thread").describe("Who shares a memory in direct conversations."),
      groups: scope.default("thread").describe("Who shares a memory in groups."),
    })
    .prefault({}),
  busy: z
    .strictObject({
      direct: busyMode.default("steer").describe("What becomes of a message while a turn runs, in direct."),
      groups: busyMode.default("queue").describe("The same in groups."),
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
