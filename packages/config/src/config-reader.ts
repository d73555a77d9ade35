import { dirname, resolve } from "node:path";
import { accountKeyFiles } from "./account-key-files.ts";
import { checkBase } from "./check-base.ts";
import { checkSchema } from "./check-schema.ts";
import type { Checked, LoadOptions } from "./checked.ts";
import { deepFreeze } from "./deep-freeze.ts";
import { defaultModels } from "./default-models.ts";
import { type Issue, isBelow, type Path } from "./issue.ts";
import { modelKeyFiles } from "./model-key-files.ts";
import type { ConfigProblem } from "./problem.ts";
import { readAccount } from "./read-account.ts";
import { readWebhook } from "./read-webhook.ts";
import type { Environment, Resolved } from "./references.ts";
import { sameAccountIssues } from "./same-account.ts";
import { baseSchema } from "./schema/base-schema.ts";
import type { AccountConfig, BaseConfig, Disabled } from "./schema/config-schema.ts";
import type { WebhookConfig } from "./schema/webhook-schema.ts";
import { secretsOf } from "./secrets-of.ts";
import { suggestAlso } from "./suggest.ts";
import type { YamlSource } from "./yaml-source.ts";

/** Stands in the place of a key where a server wants none. */
const noKey = "none";

/** Checks the parts of one file: the base as a whole, accounts and webhook routes one by one. */
export class ConfigReader {
  readonly #source: YamlSource;
  readonly #resolved: Resolved;
  readonly #options: LoadOptions;
  readonly #problems: ConfigProblem[] = [];
  readonly #disabled: Disabled[] = [];
  #owners: readonly string[] = [];
  #servers: readonly string[] = [];

  constructor(source: YamlSource, resolved: Resolved, options: LoadOptions) {
    this.#source = source;
    this.#resolved = resolved;
    this.#options = options;
  }

  read(): Checked {
    const { accounts, webhooks, ...rest } = this.#resolved.value as Readonly<Record<string, unknown>>;
    const base = this.#readBase(rest);
    this.#owners = base?.owners ?? [];
    this.#servers = Object.keys(base?.mcp?.servers ?? {});
    const accountEntries = this.#entries(accounts, "accounts");
    const readAccounts = this.#readAccounts(accountEntries);
    const readWebhooks = this.#readWebhooks(this.#entries(webhooks, "webhooks"), Object.keys(accountEntries));
    const problems = this.#problems.toSorted((a, b) => a.line - b.line || a.column - b.column);
    const folder = dirname(this.#options.file);
    const secretFiles = [...new Set(this.#resolved.files.map(({ file }) => resolve(folder, file)))];
    if (base === undefined || problems.some((problem) => problem.disables === undefined))
      return { problems, secretFiles };
    const config = deepFreeze({ ...base, accounts: readAccounts, webhooks: readWebhooks, disabled: this.#disabled });
    const secrets = [...new Set([...this.#resolved.secrets, ...secretsOf(config)])].filter((value) => value !== noKey);
    const variables = [...this.#resolved.variables];
    const keyFiles = {
      modelKeyFiles: modelKeyFiles(this.#options.file, this.#resolved.files),
      accountKeyFiles: accountKeyFiles(this.#options.file, this.#resolved.files),
    };
    const loaded = { config, problems, secrets, secretFiles, ...keyFiles, variables };
    return { problems, secretFiles, loaded };
  }

  #readBase(value: Readonly<Record<string, unknown>>): BaseConfig | undefined {
    const { DATABASE_URL, REDIS_URL, LOG_LEVEL } = this.#options.env;
    const fromVariables = {
      ...(DATABASE_URL ? { database: DATABASE_URL } : {}),
      ...(REDIS_URL ? { redis: REDIS_URL } : {}),
      ...(LOG_LEVEL && typeof value.log !== "string" ? { log: { ...(value.log ?? {}), level: LOG_LEVEL } } : {}),
    };
    const models = value.models ?? defaultModels(this.#options.env);
    const effective = { ...value, models, ...fromVariables };
    const checked = checkSchema(baseSchema, effective, [], this.#resolved.fromEnvironment);
    const faults = checked.ok ? [] : suggestAlso(checked.issues, ["accounts", "webhooks"]);
    const references = this.#resolved.issues.filter(({ path }) => path[0] !== "accounts" && path[0] !== "webhooks");
    this.#complain([
      ...references,
      ...withoutRepeats([...faults, ...checkBase(effective, this.#options.platforms)], references),
    ]);
    return checked.ok ? checked.value : undefined;
  }

  #readAccounts(entries: Readonly<Record<string, unknown>>): Record<string, AccountConfig> {
    const accounts: Record<string, AccountConfig> = {};
    for (const [name, entry] of Object.entries(entries)) {
      const reading = readAccount(name, entry, this.#options.platforms, this.#resolved.fromEnvironment, this.#owners);
      if (reading.outcome === "off") {
        this.#disabled.push({ kind: "account", name, reason: "switched off by enabled: false" });
        continue;
      }
      const found = reading.outcome === "invalid" ? reading.issues : this.#twinIssues(name, reading.account, accounts);
      const issues = this.#withReferences(["accounts", name], found);
      if (reading.outcome === "valid" && issues.length === 0) accounts[name] = reading.account;
      else this.#disable("account", name, issues);
    }
    return accounts;
  }

  #twinIssues(name: string, account: AccountConfig, earlier: Readonly<Record<string, AccountConfig>>) {
    const identityKey = this.#options.platforms?.rules[account.platform]?.identityKey;
    return sameAccountIssues(name, account, earlier, identityKey);
  }

  #readWebhooks(entries: Readonly<Record<string, unknown>>, accounts: readonly string[]) {
    const known = { accounts, owners: this.#owners, servers: this.#servers };
    const webhooks: Record<string, WebhookConfig> = {};
    for (const [name, entry] of Object.entries(entries)) {
      const reading = readWebhook(name, entry, known, this.#resolved.fromEnvironment);
      const issues = this.#withReferences(["webhooks", name], reading.outcome === "invalid" ? reading.issues : []);
      if (reading.outcome === "valid" && issues.length === 0) webhooks[name] = reading.webhook;
      else this.#disable("webhook", name, issues);
    }
    return webhooks;
  }

  #entries(value: unknown, section: string): Readonly<Record<string, unknown>> {
    if (value === undefined) return {};
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    this.#complain([{ path: [section], message: "expected a mapping of names to entries" }]);
    return {};
  }

  #withReferences(path: Path, issues: readonly Issue[]): readonly Issue[] {
    const references = this.#resolved.issues.filter((issue) => isBelow(issue.path, path));
    return [...references, ...withoutRepeats(issues, references)];
  }

  #disable(kind: Disabled["kind"], name: string, issues: readonly Issue[]): void {
    const reason = issues.map(({ path, message }) => `${path.slice(2).join(".")} ${message}`.trim()).join("; ");
    this.#disabled.push({ kind, name, reason });
    this.#complain(issues, { kind, name });
  }

  #complain(issues: readonly Issue[], disables?: ConfigProblem["disables"]): void {
    for (const issue of issues) {
      const problem = fromVariable(issue, this.#options.env) ?? toProblem(issue, this.#source, this.#options.file);
      this.#problems.push(disables === undefined ? problem : { ...problem, disables });
    }
  }
}

/** Adds the position in the file. */
export function toProblem(issue: Issue, source: YamlSource, file: string): ConfigProblem {
  const { line, column } = source.placeOf(issue.path, issue.at ?? "value");
  const { path, message, suggestion } = issue;
  return { file, line, column, path: path.join("."), message, ...(suggestion === undefined ? {} : { suggestion }) };
}

const variableOf: Readonly<Record<string, string>> = {
  database: "DATABASE_URL",
  redis: "REDIS_URL",
  "log.level": "LOG_LEVEL",
};

/** The problem of a value that an environment variable overrides. */
function fromVariable(issue: Issue, env: Environment): ConfigProblem | undefined {
  const path = issue.path.join(".");
  const variable = variableOf[path];
  if (variable === undefined || !env[variable]) return undefined;
  return { file: `environment variable ${variable}`, line: 0, column: 0, path, message: issue.message };
}

/** Omits problems that only follow from an unresolved reference. */
function withoutRepeats(issues: readonly Issue[], references: readonly Issue[]): readonly Issue[] {
  return issues.filter(({ path }) => !references.some((reference) => isBelow(path, reference.path)));
}
