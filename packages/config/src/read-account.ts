import { type IdForms, type Platform, platformOf, type UserId } from "@talaria/protocol";
import { z } from "zod";
import { checkSchema } from "./check-schema.ts";
import type { Issue } from "./issue.ts";
import { ownersOn } from "./owners.ts";
import type { Platforms } from "./platform-rules.ts";
import { anyId, parsePrincipals } from "./principals.ts";
import { accountKeysSchema } from "./schema/account-schema.ts";
import type { AccountConfig } from "./schema/config-schema.ts";
import { suggestAlso, suggestName, unknownKey } from "./suggest.ts";

export type AccountReading =
  | { readonly outcome: "valid"; readonly account: AccountConfig }
  /** `enabled: false`: nothing else was looked at. */
  | { readonly outcome: "off" }
  | { readonly outcome: "invalid"; readonly issues: readonly Issue[] };

/** Names of the built-in accounts for web chat and webhook routes, and one reserved for an API: an entry with such a name would get their rights. */
const ownNames = /^(web|api|webhook-.*)$/;

/**
 * Checks one entry of `accounts`. Without `platforms`, accepts any platform and leaves its specific keys unchecked. `owners` are
 * those of the file.
 */
export function readAccount(
  name: string,
  value: unknown,
  platforms: Platforms | undefined,
  fromEnvironment: ReadonlySet<string>,
  owners: readonly string[],
): AccountReading {
  const path = ["accounts", name];
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    return invalid([{ path, at: "key", message: "a name has lower-case letters, digits and dashes, at most 63" }]);
  if (ownNames.test(name))
    return invalid([{ path, at: "key", message: "web, api and webhook-... are accounts of the gateway itself" }]);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return invalid([{ path, message: "expected a mapping with at least `platform`" }]);
  const entry = value as Readonly<Record<string, unknown>>;
  if (entry.enabled === false) return { outcome: "off" };
  const platform = checkPlatform(entry.platform, platforms);
  if (!platform.ok) return invalid([{ ...platform.issue, path: [...path, "platform"] }, ...slipsOf(entry, path)]);

  const { common, own } = splitKeys(entry);
  const rules = platforms?.rules[platform.name];
  const ids = rules?.ids ?? anyId;
  const settingsSchema = fullSchema(rules?.configSchema);
  const keys = checkSchema(accountKeysSchema, common, path, fromEnvironment);
  const settings = checkSchema(settingsSchema, own, path, fromEnvironment);
  const owning = ownersOn(platform.name, owners);
  const issues = [
    ...(keys.ok ? [] : keys.issues),
    ...(settings.ok ? [] : suggestAlso(settings.issues, Object.keys(accountKeysSchema.shape))),
    ...(keys.ok ? [...checkAccess(keys.value, ids, name, owning), ...checkGroups(keys.value, name)] : []),
  ];
  if (!keys.ok || !settings.ok || issues.length > 0) return invalid(issues);
  return { outcome: "valid", account: toAccount(keys.value, ids, owning, settings.value as AccountConfig["settings"]) };
}

type AccountKeys = z.output<typeof accountKeysSchema>;

function invalid(issues: readonly Issue[]): AccountReading {
  return { outcome: "invalid", issues };
}

function checkPlatform(
  value: unknown,
  platforms: Platforms | undefined,
): { ok: true; name: Platform } | { ok: false; issue: Omit<Issue, "path"> } {
  if (value === undefined) return { ok: false, issue: { message: "is required" } };
  const name = platformOf(String(value));
  const isKnown = platforms === undefined || platforms.names.includes(String(value));
  if (name !== undefined && isKnown) return { ok: true, name };
  if (platforms === undefined) return { ok: false, issue: { message: "is not the name of a platform" } };
  const suggestion = suggestName(String(value), platforms.names);
  const message = `must be one of ${platforms.names.join(", ")}`;
  return { ok: false, issue: suggestion === undefined ? { message } : { message, suggestion } };
}

/** Without a platform its keys are unknown, but not what was meant to be `platform`. */
function slipsOf(entry: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Issue[] {
  const issues = Object.keys(entry).map((key): Issue => ({ path: [...path, key], at: "key", message: unknownKey }));
  return suggestAlso(issues, ["platform"]).filter((issue) => issue.path.at(-1) !== "platform" && issue.suggestion);
}

function splitKeys(entry: Readonly<Record<string, unknown>>) {
  const isCommon = ([key]: [string, unknown]) => Object.hasOwn(accountKeysSchema.shape, key);
  const entries = Object.entries(entry);
  return {
    common: Object.fromEntries(entries.filter(isCommon)),
    own: Object.fromEntries(entries.filter((pair) => !isCommon(pair))),
  };
}

/** A plain object schema drops keys it does not know; here such a key is an error. */
function fullSchema(schema: z.ZodType | undefined): z.ZodType {
  if (schema === undefined) return z.record(z.string(), z.unknown());
  return schema instanceof z.ZodObject && schema.def.catchall === undefined ? schema.strict() : schema;
}

function checkAccess(
  { platform, access }: AccountKeys,
  ids: IdForms,
  name: string,
  owners: readonly UserId[],
): readonly Issue[] {
  const path = ["accounts", name, "access", "allow"];
  const issues: Issue[] = [];
  const isOpen = access.direct === "open" || access.groups === "open";
  const { users } = parsePrincipals(access.allow, { platform, ids }, isOpen, (index, message) =>
    issues.push({ path: [...path, index], message }),
  );
  const admitsNobody = access.direct === "allowlist" && users.length + owners.length === 0 && issues.length === 0;
  if (admitsNobody)
    issues.push({
      path,
      message: `no principals for account ${name}: access.direct is allowlist and no user is listed`,
      suggestion: "list users, or set access.direct to pairing or off",
    });
  return issues;
}

function checkGroups({ groups }: AccountKeys, name: string): readonly Issue[] {
  const { activation, keywords } = groups;
  if (activation !== "keyword" || keywords.length > 0) return [];
  const message = "is empty, and groups.activation is keyword";
  return [
    { path: ["accounts", name, "groups", "keywords"], message, suggestion: "list keywords, or set it to mention" },
  ];
}

function toAccount(
  keys: AccountKeys,
  ids: IdForms,
  owners: readonly UserId[],
  settings: AccountConfig["settings"],
): AccountConfig {
  const { platform, access, groups, catchUp, reactions, proxy, sessions, busy } = keys;
  const isOpen = access.direct === "open" || access.groups === "open";
  const allow = parsePrincipals(access.allow, { platform, ids }, isOpen, () => undefined);
  return {
    platform,
    access: { ...access, allow, owners },
    groups,
    catchUp,
    reactions,
    ...(proxy === undefined ? {} : { proxy }),
    sessions,
    busy,
    settings,
  };
}
