import { type AccountConfig, defaultConfig, formatProblem, unpricedModels } from "@talaria/config";
import { loadPlatform } from "@talaria/platforms";
import { exposureOf } from "./exposure.ts";
import { type Home, missingConfig } from "./home.ts";
import { checkFile, type LoadedHome } from "./load-home.ts";
import { readableProblems } from "./mcp/readable-problems.ts";
import { loginProblems } from "./model/login-problems.ts";
import { ownNames } from "./own-names.ts";
import { ownerNote } from "./setup/owner-note.ts";

/** For the names of `sandbox.network` together. */
const namesMs = 5_000;

export interface InspectedConfig {
  /** Each with file, line, key and suggestion. With one of these, nothing else has been looked at. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
  /** What the platforms say about the settings of their accounts, and that nobody is an owner. */
  readonly remarks: readonly string[];
  /** `config.yaml is valid: 2 accounts, 1 webhook route`; undefined with a problem. */
  readonly summary?: string;
  readonly config?: LoadedHome["config"];
  /** Absolute paths of the secret files that the file names, with a problem, too. */
  readonly secretFiles: readonly string[];
}

/** Everything that can be said of a configuration file without starting anything. Throws where a file that was named is missing. */
export async function inspectConfig(home: Home): Promise<InspectedConfig> {
  const { configFile } = home;
  const checked = await checkFile(configFile, process.env);
  if (checked === undefined) {
    if (home.isConfigNamed) throw missingConfig(home);
    const summary = `${configFile} does not exist: the defaults apply`;
    return {
      problems: [],
      warnings: [],
      remarks: [],
      summary,
      config: defaultConfig(process.env).config,
      secretFiles: [],
    };
  }
  const { problems, loaded, secretFiles } = checked;
  if (problems.length > 0 || loaded === undefined)
    return { problems: problems.map(formatProblem), warnings: [], remarks: [], secretFiles };
  const { config, secrets } = loaded;
  const exposure = await exposureOf(configFile, secrets);
  const warnings = [
    ...(exposure === undefined ? [] : [exposure]),
    ...unpricedModels(config),
    ...(await loginProblems(home, config)),
    ...(await readableProblems(config)),
    ...(await ownNames(config.sandbox.network, AbortSignal.timeout(namesMs))),
  ];
  const { accounts, webhooks } = config;
  const summary = `${configFile} is valid: ${count(accounts, "account")}, ${count(webhooks, "webhook route")}`;
  const noOwner = await ownerNote(configFile, config);
  const remarks = [...(await accountRemarks(accounts)), ...(noOwner === undefined ? [] : [noOwner])];
  return { problems: [], warnings, remarks, summary, config, secretFiles };
}

async function accountRemarks(accounts: Readonly<Record<string, AccountConfig>>): Promise<readonly string[]> {
  const remarks: string[] = [];
  for (const [name, { platform, settings }] of Object.entries(accounts)) {
    const module = await loadPlatform(platform);
    remarks.push(...(module?.remarks?.(settings) ?? []).map((one) => `account ${name}: ${one}`));
  }
  return remarks;
}

function count(entries: Readonly<Record<string, unknown>>, noun: string): string {
  const { length } = Object.keys(entries);
  return `${length} ${noun}${length === 1 ? "" : "s"}`;
}
