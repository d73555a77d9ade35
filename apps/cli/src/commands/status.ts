import { modelChain, type TalariaConfig } from "@talaria/config";
import { isGatewayError } from "@talaria/protocol";
import { operatorPhrases } from "@talaria/sessions";
import {
  clockTimes,
  modelTroublesOf,
  type Problem,
  type ProblemFacts,
  type ProcessRow,
  plannedLine,
  workplacesOf,
} from "@talaria/store";
import { durationText } from "../duration-text.ts";
import { runningGatewayUrl } from "../gateway-url.ts";
import { locateHome } from "../home.ts";
import { linkingText } from "../linking.ts";
import { readableProblems } from "../mcp/readable-problems.ts";
import { trustNotes } from "../mcp/trust-notes.ts";
import { unsendableKeys } from "../model/unsendable-keys.ts";
import { fileInUse, withStore } from "../open-store.ts";
import { runtimeHole } from "../runtime-hole.ts";
import { ownerNote } from "../setup/owner-note.ts";
import { wordsAt } from "../shell/working-words.ts";
import { version } from "../version.ts";
import { countersNow } from "./counters-now.ts";
import { callerLines, callersOf } from "./mcp-token.ts";
import { withPlaces } from "./place-words.ts";
import { plannedAbsence } from "./planned-absence.ts";
import { mostQuestions, questionLines } from "./question-lines.ts";
import { spentLine } from "./spent-line.ts";
import {
  accountLine,
  backgroundLines,
  backlogLines,
  columns,
  homelessRoutes,
  isWaiting,
  leftOutEntries,
  problemLines,
  processLine,
  serverLines,
  stuckLine,
  toolFileLine,
  toolFileProblems,
  undeliveredLine,
  waitingPeopleLines,
  workplaceLines,
} from "./status-lines.ts";
import { stuckMs, stuckWhileServed } from "./stuck-while-served.ts";
import { supervisorNews } from "./supervisor-news.ts";
import { problemsNow } from "./unready-parts.ts";

type Options = Record<string, string | boolean | undefined>;

/**
 * `talaria status`: first what an operator has to mend; it exits with 1 when somebody gets no answer because of that, unless gateway and workers are just being replaced or stopped. Then version, model, accounts, processes, what they have found of commands, files and browser, backlog, people who wait to be let in, questions that wait, what is left out of the configuration, callers at /mcp, MCP servers whose
 * reads are asked about, tool files that are broken, routes whose owner can't be asked, sessions that are stuck or were given up, answers that
 * were given up on their way out. Shows no message text and no secret.
 */
export async function status(options: Options): Promise<void> {
  try {
    await showStatus(options);
  } catch (error) {
    const planned = isAway(error)
      ? await plannedAbsence(locateHome(options, process.env).plannedRestartFile, Date.now())
      : undefined;
    if (planned === undefined || options.json === true) throw error;
    await print(problemLines([{ line: plannedLine(planned, operatorPhrases), isNote: true }]));
  }
}

/** The embedded database is not there either while everything is replaced. */
function isAway(error: unknown): boolean {
  return isGatewayError(error, "unavailable") || (error instanceof Error && isGatewayError(error.cause, "unavailable"));
}

function showStatus(options: Options): Promise<void> {
  return withStore(
    options,
    async (
      { background, calls, mcpTokens, operations, pairing, processes },
      { accountKeyFiles, modelKeyFiles, config, home },
    ) => {
      const [
        accounts,
        living,
        backlog,
        waiting,
        unfinished,
        undelivered,
        spent,
        homes,
        inBackground,
        callers,
        asking,
        places,
      ] = await Promise.all([
        operations.accounts(),
        processes.list(),
        operations.backlog(),
        operations.questions(mostQuestions),
        operations.stuck(stuckMs, 20),
        operations.undelivered(20),
        operations.spending(20),
        calls.homes(),
        background.counts(),
        callersOf(config, mcpTokens),
        pairing.list(),
        operations.shutPlaces(),
      ]);
      const now = Date.now();
      const spending = await countersNow(spent, pairing, config);
      const [stuck, givenUp] = await Promise.all([
        withPlaces(stuckWhileServed(unfinished, living, now), operations),
        withPlaces(undelivered, operations),
      ]);
      const news = await supervisorNews(home);
      const facts = { living, accounts, accountKeyFiles, models: modelChain(config), places, now, ...news };
      const unsendable = unsendableKeys({ config, modelKeyFiles });
      const problems = await noteProblems(facts, unsendable, () => runningGatewayUrl(config, home));
      const running = living.map(({ id, kind, host, pid, startedAt }) => ({ id, kind, host, pid, startedAt }));
      const model = modelOf(config);
      const toolFiles = toolFileProblems(living);
      const homeless = homelessRoutes(config.webhooks, homes);
      const address = await runningGatewayUrl(config, home).then(
        (url) => `${url}/console/`,
        () => undefined,
      );
      const noOwner = await ownerNote(await fileInUse(home), config);
      const leftOut = leftOutEntries(config.disabled, accounts);
      if (options.json === true) {
        const mcp = living.flatMap(({ id, stats }) =>
          stats.mcp === undefined ? [] : [{ worker: id, servers: stats.mcp }],
        );
        const all = {
          version,
          address: address ?? null,
          problems,
          noOwner: noOwner ?? null,
          model,
          accounts,
          processes: running,
          workplaces: workplacesOf(living),
          models: modelTroublesOf(living, operatorPhrases),
          mcp,
          callers,
          backlog,
          background: inBackground,
          questions: waiting.questions,
          waiting: { people: asking.filter(isWaiting).length, approvals: waiting.approvals },
          stuck,
          undelivered: givenUp,
          spending,
          toolFiles,
          homelessRoutes: homeless,
          leftOut,
          runtime: runtimeHole() ?? null,
        };
        console.log(JSON.stringify(all, null, 2));
        return;
      }
      await print([
        ...problemLines([...problems, ...(noOwner === undefined ? [] : [{ line: noOwner, isNote: true } as const])]),
        `talaria     ${version}, ${uptime(living, now)}, model ${model}`,
        ...(address === undefined ? [] : columns("console", [address])),
        ...runtimeLines(),
        ...columns("processes", living.map(processLine)),
        ...workplaceLines(living),
        ...serverLines(living),
        ...callerLines(callers),
      ]);
      for (const [n, line] of columns(
        "accounts",
        accounts.map((account) => accountLine(account, now)),
      ).entries()) {
        await print([line]);
        const linking = await linkingText(accounts[n]?.connection ?? {});
        if (linking !== undefined) console.log(linking);
      }
      await print([
        ...backlogLines(backlog),
        ...backgroundLines(inBackground),
        ...waitingPeopleLines(asking, now),
        ...questionLines(waiting, now),
      ]);
      const folders = await readableProblems(config);
      await print([
        ...leftOut.map((entry) => `left out: ${entry}`),
        ...folders,
        ...trustNotes(config).map((note) => `MCP servers: ${note}`),
        ...toolFiles.map(toolFileLine),
        ...homeless,
        ...spending.map((one) => spentLine(one, config.limits.spending.currency, now)),
        ...stuck.map(stuckLine),
        ...givenUp.map(undeliveredLine),
      ]);
    },
  );
}

async function print(lines: readonly string[]): Promise<void> {
  for (const line of lines) console.log(await wordsAt(process.stdout, clockTimes(line, Date.now())));
}

/** What an operator has to mend; the command fails when it keeps people from answers. */
async function noteProblems(
  facts: ProblemFacts,
  unsendable: ReturnType<typeof unsendableKeys>,
  gatewayUrl: () => Promise<string>,
): Promise<readonly Problem[]> {
  // What comes of such a key says less of it.
  const known = new Set(unsendable.map(({ model }) => `model:${model}`));
  const found = await problemsNow(facts, gatewayUrl);
  const problems = [
    ...unsendable.map(({ model: _, ...problem }) => problem),
    ...found.filter(({ key }) => !known.has(key)),
  ];
  if (problems.some(({ stopsAnswers }) => stopsAnswers)) process.exitCode = 1;
  return problems;
}

function runtimeLines(): readonly string[] {
  const hole = runtimeHole();
  return hole === undefined ? [] : columns("runtime", [hole]);
}

function modelOf({ agent, models }: TalariaConfig): string {
  const entry = models[agent.model];
  return entry === undefined ? `${agent.model} (not configured)` : `${entry.model} (${entry.provider})`;
}

function uptime(living: readonly ProcessRow[], now: number): string {
  const starts = living.map(({ startedAt }) => Date.parse(startedAt));
  return starts.length === 0 ? "not running" : `up for ${durationText(now - Math.min(...starts))}`;
}
