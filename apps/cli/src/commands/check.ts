import { locateHome } from "../home.ts";
import { inspectConfig } from "../inspect-config.ts";
import { checkFile } from "../load-home.ts";
import { lostAccounts } from "../lost-accounts.ts";
import { runtimeHole } from "../runtime-hole.ts";
import { operatorLine } from "../workplace/operator-line.ts";
import { tryHere } from "../workplace/try-here.ts";

/** `talaria check`: every problem with file, line, key and suggestion; exit code 1 when there is one. Tries where commands run. */
export async function check(options: Record<string, string | boolean | undefined>): Promise<void> {
  const home = locateHome(options, process.env);
  const { problems, warnings, remarks, summary, config } = await inspectConfig(home);
  for (const problem of problems) console.log(problem);
  if (config === undefined) {
    process.exitCode = 1;
    return;
  }
  const hole = runtimeHole();
  for (const one of [...warnings, ...(hole === undefined ? [] : [hole])]) console.log(`warning: ${one}`);
  for (const one of remarks) console.log(one);
  const found = await tryHere({ home, config }, { paid: false });
  console.log(`${found.works ? "" : "warning: "}${operatorLine(found)}`);
  console.log(summary);
  await compareWithRunning(home.configFile);
}

/** A supervisor names what it runs with. */
async function compareWithRunning(file: string): Promise<void> {
  const { env } = process;
  if (env.TALARIA_RUNS_WITH === undefined) return;
  const lost = lostAccounts(file, await checkFile(file, env), await checkFile(file, env, env.TALARIA_RUNS_WITH));
  if (lost === undefined) return;
  console.error(lost);
  process.exitCode = 1;
}
