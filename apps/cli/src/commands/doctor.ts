import { modelChain, type TalariaConfig } from "@talaria/config";
import { loadOrCreateKey, type Store } from "@talaria/store";
import { type Finding, findingLine, mendAll, problemOf } from "../doctor/finding.ts";
import { ofDatabase, ofQueue } from "../doctor/of-database.ts";
import { ofDisk } from "../doctor/of-disk.ts";
import { ofFiles } from "../doctor/of-files.ts";
import { ofModel } from "../doctor/of-model.ts";
import { ofPorts } from "../doctor/of-ports.ts";
import { runningGatewayUrl } from "../gateway-url.ts";
import { type Home, locateHome } from "../home.ts";
import { inspectConfig } from "../inspect-config.ts";
import type { LoadedHome } from "../load-home.ts";
import { loadRunning, withStore } from "../open-store.ts";
import { runtimeHole } from "../runtime-hole.ts";
import { commandWords, wordsAt } from "../shell/working-words.ts";
import { isHomeServed } from "../start/home-lock.ts";
import { startCommand } from "../start-command.ts";
import { foldersOf } from "../workplace/folders-of.ts";
import { tryHere } from "../workplace/try-here.ts";
import { makeLink } from "./command.ts";
import { problemsNow } from "./unready-parts.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

/**
 * `talaria doctor`: one line for each check, with the command that mends what is wrong; exit code 1 while there is a problem. `--fix` does what harms
 * nothing, and says what it did. Without `--offline` the model is asked two small questions.
 */
export async function doctor(options: Options): Promise<void> {
  const home = locateHome(options, process.env);
  const mended = options.fix === true ? await mendWhatCanBe(home) : [];
  const findings = [...mended, ...(await examine(options, home))];
  if (findings.some(({ state }) => state === "problem")) process.exitCode = 1;
  if (options.json === true) {
    const checks = findings.map(({ check, state, line, remedy }) => ({ check, state, line, remedy }));
    console.log(JSON.stringify({ checks }, null, 2));
    return;
  }
  for (const finding of findings) console.log(await wordsAt(process.stdout, findingLine(finding)));
}

/** First of all: a configuration whose secret is open to others is refused as a whole. */
async function mendWhatCanBe(home: Home): Promise<readonly Finding[]> {
  const { secretFiles } = await inspectConfig(home);
  return await mendAll([...(await ofFiles({ home, secretFiles })), ...(await ofCommand())]);
}

async function examine(options: Options, home: Home): Promise<readonly Finding[]> {
  const [inspected, isServed] = await Promise.all([inspectConfig(home), isHomeServed(home.dir)]);
  const { secretFiles } = inspected;
  // What runs goes on with the configuration from before the file was broken.
  const loaded = await loadRunning(options).catch(() => undefined);
  const looks = [
    ...(loaded === undefined ? [] : looksAt(loaded, options, isServed)),
    guarded("files", () => ofFiles({ home, secretFiles })),
    guarded("command", ofCommand),
    guarded("runtime", ofRuntime),
  ];
  return [...ofConfiguration(inspected), ...(await Promise.all(looks)).flat()];
}

function looksAt(loaded: LoadedHome, options: Options, isServed: boolean): readonly Promise<readonly Finding[]>[] {
  const { config, home, modelKeyFiles } = loaded;
  const ofTheModel = () => withLogins(options, loaded, (logins) => ofModel(config, logins, modelKeyFiles));
  return [
    guarded("running", () => ofInstallation(options, loaded, isServed)),
    ...(options.offline === true ? [] : [guarded("model", ofTheModel)]),
    guarded("workplace", () => ofWorkplace(loaded)),
    guarded("queue", () => ofQueue(config)),
    guarded("ports", () => ofPorts(config, home, isServed)),
    guarded("disk", async () => ofDisk(await placesOf(loaded))),
  ];
}

async function guarded(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (error) {
    return [problemOf(check, error)];
  }
}

function ofConfiguration({
  problems,
  warnings,
  remarks,
  summary,
}: Awaited<ReturnType<typeof inspectConfig>>): readonly Finding[] {
  const check = "configuration";
  return [
    ...problems.map((line): Finding => ({ check, state: "problem", line })),
    ...(summary === undefined ? [] : [{ check, state: "ok", line: summary } as const]),
    ...[...warnings, ...remarks].map((line): Finding => ({ check, state: "warning", line })),
  ];
}

/** The database and what `talaria status` calls a problem. An installation that is stopped is none. */
async function ofInstallation(
  options: Options,
  { accountKeyFiles, config, home }: LoadedHome,
  isServed: boolean,
): Promise<readonly Finding[]> {
  if (!isServed && config.database.kind === "embedded") {
    const line = `Talaria isn't running, so that the database, accounts and processes were not looked at: start it with \`${startCommand(home.dir)}\``;
    return [{ check: "running", state: "warning", line }];
  }
  return await withStore(options, async (store) => {
    const { operations, processes } = store;
    const database = await ofDatabase(store);
    const [living, accounts] = await Promise.all([processes.list(), operations.accounts()]);
    const facts = { living, accounts, accountKeyFiles, models: modelChain(config), now: Date.now() };
    const problems = await problemsNow(facts, () => runningGatewayUrl(config, home));
    const check = "running";
    const lines = problems
      .filter(({ kind }) => kind !== "workplace")
      .map(({ line }): Finding => ({ check, state: "problem", line }));
    const connected = accounts.filter(({ connection }) => connection.status === "connected").length;
    const ok = `gateway and workers run, ${connected} of ${accounts.length} accounts are connected`;
    return [...database, ...(lines.length === 0 ? [{ check, state: "ok", line: ok } as const] : lines)];
  });
}

/** Only models that are asked with somebody's login need the database. */
async function withLogins<Result>(
  options: Options,
  { config }: Pick<LoadedHome, "config">,
  look: (logins: Store["modelLogins"] | undefined) => Promise<Result>,
): Promise<Result> {
  if (!needsLogin(config)) return await look(undefined);
  const keysOf = async ({ loginKeyFile }: LoadedHome["home"]) => ({ loginKey: await loadOrCreateKey(loginKeyFile) });
  return await withStore(options, ({ modelLogins }) => look(modelLogins), keysOf);
}

function needsLogin({ agent, models }: Pick<TalariaConfig, "agent" | "models">): boolean {
  const provider = models[agent.model]?.provider;
  return provider === "chatgpt";
}

async function ofWorkplace(loaded: LoadedHome): Promise<readonly Finding[]> {
  const { works, line } = await tryHere(loaded, { paid: false });
  const check = "workplace";
  return [works ? { check, state: "ok", line } : { check, state: "problem", line, remedy: "talaria setup sandbox" }];
}

async function placesOf({ home, config }: LoadedHome): Promise<Readonly<Record<string, string>>> {
  const { workspaceFolder } = await foldersOf(home, config.sandbox);
  const files = config.sandbox.folder ?? workspaceFolder;
  const isApart = config.sandbox.backend !== "off" && !files.startsWith(`${home.dir}/`);
  return { "the data folder": home.dir, ...(isApart && { "files of conversations": files }) };
}

async function ofRuntime(): Promise<readonly Finding[]> {
  const hole = runtimeHole();
  const check = "runtime";
  if (hole !== undefined) return [{ check, state: "warning", line: hole }];
  return [{ check, state: "ok", line: `Node.js ${process.versions.node}, of which no hole is known` }];
}

/** Any of them mends it: whoever runs \`talaria\` in a shell means this repository. */
async function ofCommand(): Promise<readonly Finding[]> {
  const words = await commandWords();
  const check = "command";
  if (words === "talaria") return [{ check, state: "ok", line: "the shell's `talaria` is this one" }];
  const mend = async () =>
    `${await makeLink({})} leads here now; where the shell does not find it, its folder is missing in PATH`;
  return [
    {
      check,
      state: "warning",
      line: "the shell has no `talaria` that leads here",
      remedy: `${words} command install`,
      mend,
    },
  ];
}
