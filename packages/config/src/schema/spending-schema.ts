import { z } from "zod";

type Limit = number | "off";

const limitSchema = (initial: Limit, what: string) =>
  z
    .union([z.int().min(0).max(1_000_000_000_000), z.literal("off")])
    .default(initial)
    .describe(`${what} \`off\`: no limit. 0: none.`);

const moneySchema = (what: string) =>
  z
    .union([z.number().min(0).max(1_000_000_000), z.literal("off")])
    .default("off")
    .describe(`${what} \`off\`: no limit. 0: none.`);

const scopeSchema = (of: string, turnsPerMinute: Limit, tokensPerDay: Limit) =>
  z
    .strictObject({
      turnsPerMinute: limitSchema(turnsPerMinute, `Turns per minute ${of}.`),
      turnsPerDay: limitSchema("off", `Turns per 24 hours ${of}.`),
      tokensPerDay: limitSchema(tokensPerDay, `Tokens per 24 hours ${of}, counted as what they cost.`),
      moneyPerMonth: moneySchema(`Money per 30 days ${of}, as far as the models' prices are known.`),
    })
    .prefault({});

/** What a task of 40 steps counts that reads 30,000 tokens in each, most of them from the provider's cache. */
const task = 300_000;

/**
 * What may be spent. An owner and the operator's own token are refused by `owner` alone, a webhook route by `account` and `total`.
 * Guests together can use half of what `conversation`, `account` and `total` allow.
 */
export const spendingSchema = z.strictObject({
  person: scopeSchema("for each person who is listed or paired", 10, 20 * task),
  owner: scopeSchema("for each owner", "off", 20 * task),
  guest: scopeSchema("for each guest", 3, 2 * task),
  conversation: scopeSchema("in each conversation", 20, "off"),
  account: scopeSchema("for each account and each webhook route", "off", 100 * task),
  total: scopeSchema("for everything together", "off", "off"),
  currency: z
    .string()
    .min(1)
    .max(10)
    .regex(/^\S+$/, "must be one word such as `USD`")
    .default("USD")
    .describe("Currency of `models.<name>.price` and of `moneyPerMonth`. Only a name: nothing is converted."),
});
