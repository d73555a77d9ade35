import { type AccountConfig, defaultConfig, formatProblem, unpricedModels } from "@talaria/config";
import { loadPlatform } from "@talaria/platforms";
import { exposureOf } from "../exposure.ts";
import { locateHome, missingConfig } from "../home.ts";
import { checkFile, type LoadedHome } from "../load-home.ts";
import { readableProblems } from "../mcp/readable-problems.ts";
import { loginProblems } from "../model/login-problems.ts";
import { ownNames } from "../own-names.ts";
import { runtimeHole } from "../runtime-hole.ts";
import { operatorLine } from "../workplace/operator-line.ts";
import { tryHere } from "../workplace/try-here.ts";

/** For the names of `sandbox.network` together. */
const namesMs = 5_000;

/** `talaria check`: every problem with file, line, key and suggestion; exit code 1 when there is one. Tries where commands run. */
export async function check(options: Record<string, string | boolean | undefined>): Promise<void> {
  const home = locateHome(options, process.env);
  const { configFile } = home;
  const hole = runtimeHole();
  const runtime = hole === undefined ? [] : [hole];
  const checked = await checkFile(configFile, process.env);
  if (checked === undefined) {
    if (home.isConfigNamed) throw missingConfig(home);
    for (const one of runtime) console.log(`warning: ${one}`);
    await tellWorkplace({ home, ...defaultConfig(process.env) });
    console.log(`${configFile} does not exist: the defaults apply`);
    return;
  }
  for (const problem of checked.problems) console.log(formatProblem(problem));
  if (checked.problems.length > 0) {
    process.exitCode = 1;
    return;
  }
  const warning = await exposureOf(configFile, checked.loaded?.secrets ?? []);
  const unpriced = checked.loaded === undefined ? [] : unpricedModels(checked.loaded.config);
  const logins = checked.loaded === undefined ? [] : await loginProblems(home, checked.loaded.config);
  const folders = checked.loaded === undefined ? [] : await readableProblems(checked.loaded.config);
  const names = await ownNames(checked.loaded?.config.sandbox.network ?? [], AbortSignal.timeout(namesMs));
  const warnings = [...(warning === undefined ? [] : [warning]), ...unpriced, ...logins, ...folders, ...names];
  for (const one of [...warnings, ...runtime]) console.log(`warning: ${one}`);
  const { accounts, webhooks } = checked.loaded?.config ?? { accounts: {}, webhooks: {} };
  for (const one of await accountRemarks(accounts)) console.log(one);
  if (checked.loaded !== undefined) await tellWorkplace({ home, config: checked.loaded.config });
  console.log(`${configFile} is valid: ${count(accounts, "account")}, ${count(webhooks, "webhook route")}`);
}

/** Commands, files and browser, tried by this account on this machine. */
async function tellWorkplace(loaded: Pick<LoadedHome, "home" | "config">): Promise<void> {
  const found = await tryHere(loaded, { paid: false });
  console.log(`${found.works ? "" : "warning: "}${operatorLine(found)}`);
}

/** What the platforms say about the settings of their accounts. */
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
