import {
  ConfigError,
  type ConfigPart,
  checkConfig,
  defaultConfig,
  formatProblem,
  type LoadedConfig,
  platformsIn,
  readConfigFile,
} from "@talaria/config";
import { loadPlatforms, platformNames } from "@talaria/platforms";
import { type Home, locateHome, missingConfig } from "./home.ts";

export interface LoadedHome {
  readonly home: Home;
  readonly config: LoadedConfig["config"];
  readonly secrets: readonly string[];
  /** Absolute paths of the secret files that the configuration names, there or not. */
  readonly secretFiles: readonly string[];
  readonly modelKeyFiles: LoadedConfig["modelKeyFiles"];
  readonly accountKeyFiles: LoadedConfig["accountKeyFiles"];
  /** Environment variables that the configuration names. */
  readonly variables: readonly string[];
  /** Accounts and webhook routes that are left out, one line each. */
  readonly problems: readonly string[];
}

export interface LoadOptions {
  /** The part that such a process needs. */
  readonly part?: ConfigPart;
  /** A file that was named need not exist yet. */
  readonly mayBeNew?: boolean;
}

/**
 * Finds and reads the configuration; without a file there are defaults, unless the file was named. Throws every problem of
 * a file at once.
 */
export async function loadHome(
  options: Readonly<Record<string, string | boolean | undefined>>,
  env: Readonly<Record<string, string | undefined>>,
  { part, mayBeNew = false }: LoadOptions = {},
): Promise<LoadedHome> {
  const home = locateHome(options, env);
  const loaded = await load(home.configFile, env, part);
  // A supervisor passes on only what it has checked, and without a file there is nothing to pass on.
  const mustExist = home.isConfigNamed && !mayBeNew && env.TALARIA_RUNNING_CONFIG === undefined;
  if (loaded === undefined && mustExist) throw missingConfig(home);
  const { config, problems, ...rest } = loaded ?? defaultConfig(env);
  return { home, config, ...rest, problems: problems.map(formatProblem) };
}

/**
 * Checks a file with the rules of the platforms it names. Undefined when there is no such file. `source` is another file
 * with the text that `talaria start` is running with.
 */
export async function checkFile(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  source = file,
  part?: ConfigPart,
): Promise<ReturnType<typeof checkConfig> | undefined> {
  const text = await readConfigFile(source);
  if (text === undefined) return undefined;
  if (part !== undefined) return checkConfig(text, { file, env, part });
  return await checkText(text, file, env);
}

/** A file's text, which need not be written yet, with the rules of the platforms it names. */
export async function checkText(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ReturnType<typeof checkConfig>> {
  const rules = Object.fromEntries(await loadPlatforms(platformsIn(text)));
  return checkConfig(text, { file, env, platforms: { names: platformNames, rules } });
}

async function load(
  file: string,
  env: Readonly<Record<string, string | undefined>>,
  part?: ConfigPart,
): Promise<LoadedConfig | undefined> {
  const checked = await checkFile(file, env, env.TALARIA_RUNNING_CONFIG ?? file, part);
  if (checked === undefined) return undefined;
  if (checked.loaded === undefined) throw new ConfigError(checked.problems);
  return checked.loaded;
}
