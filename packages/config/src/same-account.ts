import type { Platform } from "@talaria/protocol";
import type { Issue } from "./issue.ts";
import type { AccountConfig } from "./schema/config-schema.ts";
import { Secret } from "./secret.ts";

/** The key of each platform that two accounts cannot share: they would be one and the same bot, number or mailbox. */
const identityKeys: Partial<Record<Platform, string>> = {
  telegram: "token",
  discord: "token",
  slack: "botToken",
  whatsapp: "phoneNumberId",
  matrix: "accessToken",
  email: "address",
};

/** An account that is connected under another name already: both would take each other's messages away. */
export function sameAccountIssues(
  name: string,
  account: AccountConfig,
  earlier: Readonly<Record<string, AccountConfig>>,
): readonly Issue[] {
  const key = identityKeys[account.platform];
  const mine = key === undefined ? undefined : textOf(account.settings[key]);
  if (key === undefined || mine === undefined) return [];
  const twin = Object.entries(earlier).find(
    ([, other]) => other.platform === account.platform && textOf(other.settings[key]) === mine,
  )?.[0];
  if (twin === undefined) return [];
  const message = `is that of account ${twin}: each account needs its own`;
  return [{ path: ["accounts", name, key], message, suggestion: `remove one of ${twin} and ${name}` }];
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Secret) return value.reveal();
  return typeof value === "string" && value !== "" ? value.toLowerCase() : undefined;
}
