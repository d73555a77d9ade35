import { ConfigReader, toProblem } from "./config-reader.ts";
import { ConfigError, type ConfigProblem } from "./problem.ts";
import type { Platforms } from "./read-account.ts";
import { type Environment, resolveReferences } from "./references.ts";
import type { TalariaConfig } from "./schema/config-schema.ts";
import { secretFileReader } from "./secret-file.ts";
import { parseYaml } from "./yaml-source.ts";

export interface LoadOptions {
  /** Shown in problems; secret files are looked up beside it. */
  readonly file: string;
  readonly env: Environment;
  /** The rules have to cover those that `platformsIn` finds. Without them the platforms' own keys are kept unchecked. */
  readonly platforms?: Platforms;
  /** How `{ file: path }` is read. Default: the file system, owner-readable files only. */
  readonly readSecret?: (path: string) => string;
}

export interface LoadedConfig {
  readonly config: TalariaConfig;
  /** Each one disables an account or a webhook route, which `config.disabled` lists. */
  readonly problems: readonly ConfigProblem[];
  /** Texts that must never be printed; give them to the log. */
  readonly secrets: readonly string[];
}

export interface Checked {
  /** In the order of the file. */
  readonly problems: readonly ConfigProblem[];
  /** Absent when a problem makes the whole file invalid. */
  readonly loaded?: LoadedConfig;
}

/** Reads a configuration file's text. Throws `ConfigError`, with every problem, when the file as a whole is invalid. */
export function loadConfig(text: string, options: LoadOptions): LoadedConfig {
  const { loaded, problems } = checkConfig(text, options);
  if (loaded === undefined) throw new ConfigError(problems);
  return loaded;
}

/** The configuration of somebody who has no file. Throws `ConfigError` when the environment itself is wrong. */
export function defaultConfig(env: Environment): LoadedConfig {
  return loadConfig("", { file: "(no configuration file)", env });
}

/**
 * The platforms that a file's accounts name, known or not, in whatever state the file is. For callers that load the
 * rules of a platform only when it is used.
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
  const resolved = resolveReferences(source.value, { env: options.env, readSecret });
  return new ConfigReader(source, resolved, options).read();
}
