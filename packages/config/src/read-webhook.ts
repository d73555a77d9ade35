import { z } from "zod";
import { checkSchema } from "./check-schema.ts";
import type { Issue, Path } from "./issue.ts";
import { type WebhookConfig, webhookSchema } from "./schema/webhook-schema.ts";
import { suggestName } from "./suggest.ts";

export type WebhookReading =
  | { readonly outcome: "valid"; readonly webhook: WebhookConfig }
  | { readonly outcome: "invalid"; readonly issues: readonly Issue[] };

/** Checks one entry of `webhooks`. `accountNames` are all accounts in the file, including disabled ones. */
export function readWebhook(
  name: string,
  value: unknown,
  accountNames: readonly string[],
  fromEnvironment: ReadonlySet<string>,
): WebhookReading {
  const path = ["webhooks", name];
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
    const message = "a name has lower-case letters, digits, dashes and underscores, at most 63";
    return { outcome: "invalid", issues: [{ path, at: "key", message }] };
  }
  const checked = checkSchema(webhookSchema, value, path, fromEnvironment);
  const issues = [...(checked.ok ? [] : checked.issues), ...checkTarget(value, accountNames, path)];
  if (!checked.ok || issues.length > 0) return { outcome: "invalid", issues };
  return { outcome: "valid", webhook: checked.value };
}

const targetSchema = z.object({ deliver: z.object({ account: z.string() }) });

/** Reads the entry as written in the file, so that another error in it does not hide this one. */
function checkTarget(value: unknown, accountNames: readonly string[], path: Path): readonly Issue[] {
  const account = targetSchema.safeParse(value).data?.deliver.account;
  if (account === undefined || accountNames.includes(account)) return [];
  const suggestion = suggestName(account, accountNames);
  const issue = { path: [...path, "deliver", "account"], message: `there is no account "${account}"` };
  return [suggestion === undefined ? issue : { ...issue, suggestion }];
}
