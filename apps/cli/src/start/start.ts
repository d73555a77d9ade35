import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { finishReplacement } from "../backup/replacement.ts";
import { type Home, locateHome, missingConfig } from "../home.ts";
import { commandOffer, wordsAt } from "../shell/working-words.ts";
import { workplaceNews } from "../workplace/workplace-news.ts";
import { Children } from "./children.ts";
import { ConfigWatch } from "./config-watch.ts";
import { consoleUrlAt } from "./console-url.ts";
import { lockHome } from "./home-lock.ts";
import { Installation } from "./installation.ts";
import { openLogFile } from "./log-file.ts";
import type { Plan } from "./messages.ts";
import { PlannedRestart } from "./planned-restart.ts";
import { forgetRefusal, keepRefusal } from "./refused-config.ts";
import { readConfigState, setRunningConfig } from "./running-config.ts";
import { onStopSignals } from "./signals.ts";
import { startAgain } from "./start-again.ts";
import { noteInLog } from "./start-log.ts";
import { SupervisorDoor } from "./supervisor-door.ts";
import { nextSupervisorId } from "./supervisor-id.ts";

/**
 * `talaria start`: prepares, then watches over the database, one gateway and the workers until it is told to stop. This
 * process does nothing else and loads nothing else, because it stays in memory all day.
 */
export async function start(options: Record<string, string | boolean | undefined>): Promise<void> {
  const home = locateHome(options, process.env);
  try {
    await run(home);
  } catch (error) {
    // `talaria restart` reads it there: whoever calls it doesn't see this process's output.
    noteInLog(home.logDir, "error", error instanceof Error ? error.message : String(error));
    throw error;
  }
}

async function run(home: Home): Promise<void> {
  const startedAt = performance.now();
  if (home.isConfigNamed && (await readConfigState(home.configFile)).text === undefined) throw missingConfig(home);
  // Whatever this process and its children write is for their own account only.
  process.umask(0o077);
  const say = (line: string) => {
    console.log(line);
    noteInLog(home.logDir, "info", line);
  };
  const replaced = await finishReplacement(home.dir);
  if (replaced !== undefined)
    say(
      `finished a restore that was interrupted: ${home.dir} is what the backup holds; what was there is in ${replaced[0]?.aside}`,
    );
  await createHome(home.dir);
  await closeToOthers(home.dir, say);
  let again = false;
  const plannedRestart = new PlannedRestart(home.plannedRestartFile);
  const door = new SupervisorDoor((order) => {
    again ||= order === "restart";
    process.kill(process.pid, "SIGTERM");
  });
  const lock = await lockHome(home.dir, (socket) => door.answer(socket));
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TALARIA_HOME: home.dir,
    TALARIA_CONFIG: home.configFile,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(home.cacheDir, "node"),
  };
  const config = await readConfigState(home.configFile);
  await setRunningConfig(home.runningConfigFile, config.text);
  await forgetRefusal(home.refusedConfigFile);
  const { id, former, remember } = await nextSupervisorId(home.supervisorFile, home.dir);
  const childEnv = {
    ...env,
    TALARIA_RUNNING_CONFIG: home.runningConfigFile,
    TALARIA_SUPERVISOR: id,
    TALARIA_FORMER_SUPERVISORS: former.join(","),
  };
  const log = await openLogFile(home.logDir);
  let listening: string | undefined;
  let isReady = false;
  const serves = (url: string | undefined) => {
    if (isReady && url !== listening) say(`the gateway listens on ${url} now`);
    listening = url;
    // Read by commands where the configuration leaves the port open.
    writeFile(home.gatewayUrlFile, `${url}\n`).catch(() => say(`${home.gatewayUrlFile} can't be written`));
  };
  const reports = workplaceNews(say);
  const children = new Children({ env: childEnv, logFile: log.descriptor, say, serves, reports });
  const plan = await children.prepare().catch(async (error: unknown) => {
    children.kill();
    await log.close();
    lock.close();
    throw error;
  });
  await remember();
  const installation = new Installation({
    plan,
    configText: config.text,
    runningConfigFile: home.runningConfigFile,
    children,
    env: childEnv,
    plannedRestart,
    say,
  });
  const configWatch = new ConfigWatch({
    file: home.configFile,
    runningFile: home.runningConfigFile,
    running: config,
    env,
    say: (line) => console.log(line),
    refused: (problems) => noteRefusal(home, problems),
    plan: () => installation.plan,
    apply: (text) => installation.apply(text),
  });

  const stopped = onStopSignals({
    drain: async () => {
      door.isReady = false;
      say("stopping: finishing what is being answered (once more to stop at once)");
      const stopping = [installation.stop(), configWatch.end()];
      await Promise.all([...stopping, plannedRestart.begin(again ? "restart" : "stop")]);
      await log.close();
      if (!again) await plannedRestart.end();
      lock.close();
      say("stopped");
    },
    atOnce: () => installation.kill(),
  });
  try {
    say("starting gateway and workers");
    await installation.start();
    configWatch.begin();
  } catch (error) {
    installation.kill();
    await Promise.all([configWatch.end(), installation.stop()]);
    await log.close();
    lock.close();
    throw error;
  }
  for (const remark of plan.remarks) say(await wordsAt(process.stdout, remark));
  console.log(`the log is ${log.path}`);
  isReady = true;
  door.isReady = true;
  await plannedRestart.end();
  const consoleUrl = listening === undefined ? plan.consoleUrl : consoleUrlAt(plan.consoleUrl, listening);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`Talaria is ready after ${seconds} s: ${consoleAddress({ ...plan, consoleUrl })}`);
  const offer = process.stdout.isTTY ? await commandOffer() : undefined;
  if (offer !== undefined) console.log(offer);
  await stopped;
  if (again) startAgain();
}

async function noteRefusal({ logDir, refusedConfigFile }: Home, problems: readonly string[]): Promise<void> {
  if (problems.length === 0) return await forgetRefusal(refusedConfigFile);
  await keepRefusal(refusedConfigFile, problems);
  const words = "the new configuration is not used, the one before goes on";
  for (const problem of problems) noteInLog(logDir, "warn", `${words}: ${problem}`);
}

/**
 * The token is shown only to a person at a terminal: what is printed elsewhere is kept, in a journal or a container's log.
 */
function consoleAddress({ consoleUrl, token, tokenPlace }: Plan): string {
  return process.stdout.isTTY ? `${consoleUrl}#token=${token}` : `${consoleUrl} (token: ${tokenPlace})`;
}

async function createHome(dir: string): Promise<void> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new Error(`cannot create the data folder ${dir} (${code}): choose another one with --home or TALARIA_HOME`, {
      cause: error,
    });
  }
}

/** A folder that existed before may be open to others, and a token, keys and a database are about to be put into it. */
async function closeToOthers(dir: string, say: (line: string) => void): Promise<void> {
  const { mode } = await stat(dir);
  if (process.platform === "win32" || (mode & 0o077) === 0) return;
  await chmod(dir, 0o700).catch(() =>
    say(`other accounts may enter ${dir}, and it could not be changed: chmod 700 it`),
  );
}
