import { toolsetsOfRoutes } from "@talaria/protocol";
import { z } from "zod";
import { checkSchema } from "./check-schema.ts";
import type { Issue, Path } from "./issue.ts";
import { type WebhookConfig, webhookSchema } from "./schema/webhook-schema.ts";
import { suggestName } from "./suggest.ts";

export type WebhookReading =
  | { readonly outcome: "valid"; readonly webhook: WebhookConfig }
  | { readonly outcome: "invalid"; readonly issues: readonly Issue[] };

/** What an entry of `webhooks` may name. */
export interface KnownToWebhooks {
  /** All in the file, including disabled ones. */
  readonly accounts: readonly string[];
  readonly owners: readonly string[];
  /** MCP servers. */
  readonly servers: readonly string[];
}

/** Checks one entry of `webhooks`. */
export function readWebhook(
  name: string,
  value: unknown,
  known: KnownToWebhooks,
  fromEnvironment: ReadonlySet<string>,
): WebhookReading {
  const path = ["webhooks", name];
  if (!/^[a-z0-9][a-z0-9_-]{0,62}$/.test(name)) {
    const message = "a name has lower-case letters, digits, dashes and underscores, at most 63";
    return { outcome: "invalid", issues: [{ path, at: "key", message }] };
  }
  const checked = checkSchema(webhookSchema, value, path, fromEnvironment);
  const issues = [
    ...(checked.ok ? [] : checked.issues),
    ...checkTarget(value, known, path),
    ...checkMandate(value, known, path),
  ];
  if (!checked.ok || issues.length > 0) return { outcome: "invalid", issues };
  return { outcome: "valid", webhook: checked.value };
}

const targetSchema = z.object({ deliver: z.object({ account: z.string() }) });

/** Reads the entry as written in the file, so that another error in it does not hide this one. */
function checkTarget(value: unknown, { accounts }: KnownToWebhooks, path: Path): readonly Issue[] {
  const account = targetSchema.safeParse(value).data?.deliver.account;
  if (account === undefined || accounts.includes(account)) return [];
  return [nothingCalled(account, accounts, [...path, "deliver", "account"], `there is no account "${account}"`)];
}

const mandateSchema = z.object({
  onBehalfOf: z.string().optional().catch(undefined),
  toolset: z.array(z.unknown()).catch([]).default([]),
});

/** Whom the route acts for has to be an owner, and what it uses has to be there. */
function checkMandate(value: unknown, { owners, servers }: KnownToWebhooks, path: Path): readonly Issue[] {
  const { onBehalfOf, toolset = [] } = mandateSchema.safeParse(value).data ?? {};
  const toolsets = [...toolsetsOfRoutes, ...servers.map((server) => `mcp_${server}`)];
  const missing =
    onBehalfOf === undefined || owners.includes(onBehalfOf)
      ? []
      : [nothingCalled(onBehalfOf, owners, [...path, "onBehalfOf"], `"${onBehalfOf}" is not among \`owners\``)];
  const unknown = toolset.flatMap((name, index) =>
    typeof name !== "string" || toolsets.includes(name)
      ? []
      : [nothingCalled(name, toolsets, [...path, "toolset", index], `there is no toolset "${name}"`)],
  );
  return [...missing, ...unknown];
}

function nothingCalled(name: string, names: readonly string[], path: Path, message: string): Issue {
  const suggestion = suggestName(name, names);
  return { path, message, ...(suggestion === undefined ? {} : { suggestion }) };
}
