import { z } from "zod";

type Limit = number | "off";

const limitSchema = (initial: Limit, what: string) =>
  z
    .union([z.int().min(0).max(1_000_000_000_000), z.literal("off")])
    .default(initial)
    .describe(`${what} \`off\`: no limit. 0: none.`);

const scopeSchema = (of: string, turnsPerMinute: Limit, tokensPerDay: Limit) =>
  z
    .strictObject({
      turnsPerMinute: limitSchema(turnsPerMinute, `Turns per minute ${of}.`),
      tokensPerDay: limitSchema(tokensPerDay, `Tokens, in and out, per 24 hours ${of}.`),
    })
    .prefault({});

/**
 * What may be spent. An owner and the operator's own token are never refused, a webhook route only by `account`. Guests
 * together can use half of what `conversation` and `account` allow.
 */
export const spendingSchema = z.strictObject({
  person: scopeSchema("for each person who is listed or paired", 10, 500_000),
  guest: scopeSchema("for each guest", 3, 100_000),
  conversation: scopeSchema("in each conversation", 20, "off"),
  account: scopeSchema("for each account and each webhook route", "off", 5_000_000),
});
