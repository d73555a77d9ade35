import type { Issue } from "./issue.ts";
import type { AccountConfig } from "./schema/config-schema.ts";
import { Secret } from "./secret.ts";

/**
 * Finds an account that is already configured under another name: the two would take messages from each other.
 * `identityKey` is the key of the platform whose value must differ.
 */
export function sameAccountIssues(
  name: string,
  account: AccountConfig,
  earlier: Readonly<Record<string, AccountConfig>>,
  identityKey: string | undefined,
): readonly Issue[] {
  const mine = identityKey === undefined ? undefined : textOf(account.settings[identityKey]);
  if (identityKey === undefined || mine === undefined) return [];
  const twin = Object.entries(earlier).find(
    ([, other]) => other.platform === account.platform && textOf(other.settings[identityKey]) === mine,
  )?.[0];
  if (twin === undefined) return [];
  const message = `is that of account ${twin}: each account needs its own`;
  return [{ path: ["accounts", name, identityKey], message, suggestion: `remove one of ${twin} and ${name}` }];
}

function textOf(value: unknown): string | undefined {
  if (value instanceof Secret) return value.reveal();
  return typeof value === "string" && value !== "" ? value.toLowerCase() : undefined;
}
