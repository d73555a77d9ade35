import { equalSecrets } from "@talaria/adapter-kit";
import { serveMcp } from "@talaria/app-worker";
import type { TalariaConfig } from "@talaria/config";
import { systemClock } from "@talaria/protocol";
import { asRole, createStore, loadOrCreateKey } from "@talaria/store";
import { createLogger } from "@talaria/telemetry";
import { type LoadedHome, loadHome } from "../load-home.ts";
import { takeWorkspace } from "../mcp/take-workspace.ts";
import { explain, findDatabase } from "../open-store.ts";
import { joinLogFile } from "../start/log-file.ts";
import { version } from "../version.ts";
import { forgetEnvironment } from "../worker-environment.ts";
import { foldersOf } from "../workplace/folders-of.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const maxConnections = 2;
/** A process that is to end ends after this time at the latest. */
const forceMs = 10_000;

/**
 * `talaria mcp serve`: our tools for the program that has started this process, over its standard input and output. The process is
 * a worker's: its database role, its sandbox, its part of the configuration. It ends with the program.
 */
export async function mcpServe(options: Options): Promise<void> {
  process.umask(0o077);
  const { env } = process;
  const token = env.TALARIA_TOKEN;
  const loaded = await loadHome(options, env, { part: "tools" });
  const { home, config } = loaded;
  const caller = identify(token, config);
  const url = await workerUrl(loaded);
  forgetEnvironment(env, loaded.variables);
  const file = await joinLogFile(home.logDir);
  const secrets = [...loaded.secrets, url, new URL(url).password].filter((text) => text !== "");
  const log = createLogger({
    level: config.log.level,
    name: "mcp-serve",
    secrets: () => secrets,
    destination: file,
  });
  const loginKey = await loadOrCreateKey(home.loginKeyFile);
  const store = createStore({ url, log, clock: systemClock, maxConnections, loginKey });
  const gone = endRequest();
  try {
    await store.enter().catch(async (error: unknown) => {
      throw await explain(error, loaded);
    });
    const serving = await serveMcp({
      ...{ config, version, store, caller, log, clock: systemClock, random: Math.random },
      ...(await foldersOf(home, config.sandbox)),
      workspace: await takeWorkspace(home, caller.name),
      stdin: process.stdin,
      stdout: process.stdout,
    });
    log.info({ caller: caller.name, role: caller.role }, "serves tools over MCP");
    await Promise.race([serving.ended, gone]);
    setTimeout(() => process.exit(1), forceMs).unref();
    await serving.stop();
  } finally {
    await store.close();
    await file.close();
  }
  process.exit(0);
}

/** Whoever shows nothing, or something else, gets nothing. */
function identify(token: string | undefined, { mcp: { serve } }: TalariaConfig) {
  const callers = Object.entries(serve.callers);
  if (callers.length === 0)
    throw new Error("nobody may use our tools over MCP: name the program in mcp.serve.callers, see docs/mcp.md");
  if (token === undefined || token === "")
    throw new Error("TALARIA_TOKEN is not set: give the program that starts this a token of mcp.serve.callers");
  const [name, caller] = callers.find(([, one]) => equalSecrets(token, one.token.reveal())) ?? [];
  if (name === undefined || caller === undefined)
    throw new Error("TALARIA_TOKEN is the token of nobody in mcp.serve.callers");
  return { name, role: caller.role };
}

async function workerUrl(loaded: LoadedHome): Promise<string> {
  try {
    return (await asRole(await findDatabase(loaded), "worker")).url;
  } catch (error) {
    throw await explain(error, loaded);
  }
}

/** Resolves when somebody wants this process to end. */
function endRequest(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
}
