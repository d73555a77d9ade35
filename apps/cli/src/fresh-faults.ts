import { existsSync } from "node:fs";
import { type Checked, type ConfigProblem, formatProblem } from "@talaria/config";
import { type Home, missingConfig } from "./home.ts";
import { checkFile } from "./load-home.ts";
import { lostAccounts } from "./lost-accounts.ts";

export interface CheckedFile {
  /** Undefined without a configuration file. */
  readonly checked: Checked | undefined;
  /** Why what runs would not take the file into use, as `talaria check` says it. */
  readonly faults: readonly string[];
}

/**
 * Compares the configuration file with what runs: an account that is left out anyway is no fault of the file, nor is a variable that only the
 * shell of this command lacks.
 */
export async function freshFaults(home: Home): Promise<CheckedFile> {
  const { configFile, runningConfigFile } = home;
  const checked = await checkFile(configFile, process.env);
  const running = await checkFile(configFile, process.env, runningConfigFile);
  if (checked === undefined) {
    if (home.isConfigNamed) return { checked, faults: [missingConfig(home).message] };
    return { checked, faults: existsSync(runningConfigFile) ? [`${configFile} is gone`] : [] };
  }
  const known = new Set(running?.problems.filter(isExcused).map(keyOf));
  const faults = checked.problems.filter((one) => !known.has(keyOf(one))).map(formatProblem);
  const lost = lostAccounts(configFile, checked, running);
  return { checked, faults: lost === undefined ? faults : [...faults, lost] };
}

function isExcused({ disables, file, message }: ConfigProblem): boolean {
  return disables !== undefined || [file, message].some((text) => text.startsWith("environment variable "));
}

/** Lines of the file may have moved. */
function keyOf({ path, message }: ConfigProblem): string {
  return `${path}: ${message}`;
}
