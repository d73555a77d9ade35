import type { Checked, LoadedConfig, LoadOptions } from "./checked.ts";
import { ConfigReader, toProblem } from "./config-reader.ts";
import { ConfigError } from "./problem.ts";
import { type Environment, resolveReferences } from "./references.ts";
import { secretFileReader } from "./secret-file.ts";
import { parseYaml } from "./yaml-source.ts";

/** Reads a configuration file's text. Throws `ConfigError`, with every problem, when the file as a whole is invalid. */
export function loadConfig(text: string, options: LoadOptions): LoadedConfig {
  const { loaded, problems } = checkConfig(text, options);
  if (loaded === undefined) throw new ConfigError(problems);
  return loaded;
}

/** The configuration without a file. Throws `ConfigError` if the environment is invalid. */
export function defaultConfig(env: Environment): LoadedConfig {
  return loadConfig("", { file: "(no configuration file)", env });
}

/**
 * The platforms that the accounts of a file name, known or unknown, even if the file is invalid. For callers that load
 * the rules of a platform only if it is used.
 */
export function platformsIn(text: string): readonly string[] {
  const { accounts } = parseYaml(text).value;
  if (typeof accounts !== "object" || accounts === null) return [];
  const named = Object.values(accounts).map(
    (entry: unknown) => (entry as { platform?: unknown } | undefined)?.platform,
  );
  return [...new Set(named.filter((name) => typeof name === "string"))];
}

/** Finds every problem of a configuration file at once. Never throws. */
export function checkConfig(text: string, options: LoadOptions): Checked {
  const source = parseYaml(text);
  if (source.issues.length > 0)
    return { problems: source.issues.map((issue) => ({ ...toProblem(issue, source, options.file), ...issue.place })) };
  const readSecret = options.readSecret ?? secretFileReader(options.file);
  const value = options.part === "worker" ? partOfWorker(source.value, options.env) : source.value;
  const resolved = resolveReferences(value, { env: options.env, readSecret });
  return new ConfigReader(source, resolved, options).read();
}

/** Sections that only a gateway reads. */
const ofGateway = ["accounts", "webhooks", "gateway", "auth"];

/** Without addresses that the environment overrides: those in the file may belong to a stronger role. */
function partOfWorker(
  value: Readonly<Record<string, unknown>>,
  { DATABASE_URL, REDIS_URL }: Environment,
): Readonly<Record<string, unknown>> {
  const left = [...ofGateway, ...(DATABASE_URL ? ["database"] : []), ...(REDIS_URL ? ["redis"] : [])];
  return Object.fromEntries(Object.entries(value).filter(([key]) => !left.includes(key)));
}
