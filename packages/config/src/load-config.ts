import type { Checked, ConfigPart, LoadedConfig, LoadOptions } from "./checked.ts";
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
  if (source.issues.length > 0) {
    const problems = source.issues.map((issue) => ({ ...toProblem(issue, source, options.file), ...issue.place }));
    return { problems, secretFiles: [] };
  }
  const readSecret = options.readSecret ?? secretFileReader(options.file);
  const value = options.part === undefined ? source.value : partFor(options.part, source.value, options.env);
  const resolved = resolveReferences(value, { env: options.env, readSecret });
  return new ConfigReader(source, resolved, options).read();
}

/** Sections that only a gateway reads. */
const ofGateway = ["accounts", "webhooks", "gateway", "auth"];

/** Sections about answers of the model. */
const ofAnswers = ["models", "agent"];

/** Without addresses that the environment overrides: those in the file may belong to a stronger role. */
function partFor(
  part: ConfigPart,
  value: Readonly<Record<string, unknown>>,
  { DATABASE_URL, REDIS_URL }: Environment,
): Readonly<Record<string, unknown>> {
  const others = part === "tools" ? ofAnswers : [];
  const left = [...ofGateway, ...others, ...(DATABASE_URL ? ["database"] : []), ...(REDIS_URL ? ["redis"] : [])];
  const kept = Object.entries(value).filter(([key]) => !left.includes(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, part === "worker" ? withoutCallers(key, one) : one]));
}

function withoutCallers(key: string, value: unknown): unknown {
  if (key !== "mcp" || typeof value !== "object" || value === null || !("serve" in value)) return value;
  const { serve, ...rest } = value;
  if (typeof serve !== "object" || serve === null || !("callers" in serve)) return value;
  const { callers: _, ...others } = serve;
  return { ...rest, serve: others };
}
