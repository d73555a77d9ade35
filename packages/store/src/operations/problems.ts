import type { AccountRow } from "../ports/accounts.ts";
import type { ProcessRow } from "../ports/operations.ts";
import type { Problem } from "../ports/problem.ts";
import type { ShutPlaces } from "../ports/shut-places.ts";
import { crashLoopsOf, steadyKeysOf } from "../processes/crash-loops.ts";
import { type ModelNews, modelNewsOf } from "../processes/model-troubles.ts";
import { workplacesOf } from "../processes/workplaces.ts";
import { openedPlaceKeys, shutPlaceProblems } from "./shut-place-problems.ts";

export interface ProblemFacts {
  readonly living: readonly ProcessRow[];
  readonly accounts: readonly AccountRow[];
  /** The agent's model and its fallbacks, by name. */
  readonly models: readonly string[];
  /** Absent: nobody has looked. */
  readonly places?: ShutPlaces;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** A connection that failed so often in a row is a problem; before that, it is a hiccup. */
const manyAttempts = 5;
/** So is what could not be delivered for so long. */
const longOutageMs = 120_000;
/** A request is tried again at once: so many that failed in a row have kept somebody from an answer. */
const manyRequests = 2;
const shortGraceMs = 60_000;

/** All that living processes and accounts say, what keeps people from answers first. */
export function problemsOf(facts: ProblemFacts): readonly Problem[] {
  const problems = [
    ...missingProcesses(facts),
    ...crashLoops(facts),
    ...modelProblems(facts),
    ...accountProblems(facts),
    ...workplaces(facts),
    ...(facts.places === undefined ? [] : shutPlaceProblems(facts.places)),
  ];
  return problems.toSorted((one, other) => Number(other.stopsAnswers) - Number(one.stopsAnswers));
}

/** Keys of what is seen to work: a problem of theirs is over. What nobody has tried yet is not among them. */
export function soundKeysOf({ living, accounts, places, now }: ProblemFacts): readonly string[] {
  const models = modelNewsOf(living).filter(({ code }) => code === undefined);
  const connected = accounts.filter(
    (account) => account.connection.status === "connected" && account.held === undefined,
  );
  return [
    ...living.map(({ kind }) => kind),
    ...steadyKeysOf(living, now),
    ...models.map(({ model }) => `model:${model}`),
    ...connected.filter(({ holder }) => holder !== undefined).map(({ accountId }) => `account:${accountId}`),
    ...(places === undefined ? [] : openedPlaceKeys(places)),
  ];
}

function missingProcesses({ living }: ProblemFacts): readonly Problem[] {
  const missing = (["gateway", "worker"] as const).filter((kind) => !living.some((one) => one.kind === kind));
  const problem = { code: "not_running", stopsAnswers: true, graceMs: shortGraceMs } as const;
  if (missing.length === 2) {
    const line =
      "Talaria isn't running: start it with `npm start`, or `talaria gateway` and `talaria worker` in a fleet";
    return [{ ...problem, kind: "gateway", key: "gateway", line }];
  }
  return missing.map((kind) => {
    const line = `no ${kind} is running: \`talaria start\` keeps one running, \`talaria ${kind}\` does in a fleet; the log says why it ended`;
    return { ...problem, kind, key: kind, line };
  });
}

function crashLoops({ living, now }: ProblemFacts): readonly Problem[] {
  const loops = crashLoopsOf(living, now);
  return loops.map(({ key, kind, host, name, crashes, since, at, how }) => {
    const others = living.filter((one) => one.kind === kind).length - loops.filter((one) => one.kind === kind).length;
    const line = `the ${name} on ${host} ends again and again, ${crashes} times from ${since.slice(0, 19)}Z to ${at.slice(0, 19)}Z (the last: ${how}), and is started each time: \`talaria logs --level warn\` shows what came before; after SIGKILL, look at its memory`;
    return { kind, key, code: "crashing", line, stopsAnswers: others <= 0, since, seenAt: at, graceMs: 0 };
  });
}

function modelProblems({ living, models }: ProblemFacts): readonly Problem[] {
  const news = modelNewsOf(living);
  const fails = (model: string) => news.some((one) => one.model === model && isTrouble(one));
  const nobodyAnswers = models.length > 0 && models.every(fails);
  return news.flatMap((one) => {
    const { model, code, line, since, at, isPassing } = one;
    if (code === undefined || line === undefined) return [];
    const problem = { kind: "model", key: `model:${model}`, code, line } as const;
    const stopsAnswers = nobodyAnswers && models.includes(model);
    const graceMs = isPassing ? shortGraceMs : 0;
    return [
      { ...problem, stopsAnswers, graceMs, ...(since !== undefined && { since }), ...(isPassing && { seenAt: at }) },
    ];
  });
}

function isTrouble({ code, isPassing, count }: ModelNews): boolean {
  return code !== undefined && (!isPassing || count >= manyRequests);
}

function accountProblems({ accounts, now }: ProblemFacts): readonly Problem[] {
  return accounts.flatMap((account) => {
    const { accountId, platform, holder, connection, held } = account;
    // What a former holder has said of it is old news.
    if (holder === undefined) return [];
    const { status, hint, attempt } = connection;
    const code = String(connection.code ?? status);
    const problem = { kind: "account", key: `account:${accountId}`, code, stopsAnswers: true, graceMs: 0 } as const;
    const name = `account ${accountId} (${platform})`;
    const setup = `\`talaria setup ${platform} --account ${accountId}\``;
    if (status === "needs-operator") {
      const words = typeof hint === "string" ? `${hint.replace(/\.$/, "")}; or ` : "";
      return [{ ...problem, line: `${name} is refused, ${code}: ${words}run ${setup}` }];
    }
    if (status === "linking") {
      return [
        { ...problem, line: `${name} waits to be linked: \`talaria status\` shows the code, and so does the console` },
      ];
    }
    if (status === "reconnecting" && Number(attempt) >= manyAttempts) {
      const line = `${name} can't reach its platform, ${code}: it goes on trying; ${lostRemedy(code, setup)}`;
      return [{ ...problem, line }];
    }
    if (held?.isOutage !== true || now - Date.parse(held.since) < longOutageMs) return [];
    const remedy =
      outageRemedies[held.code]?.(`accounts.${accountId}`, setup) ??
      "it goes on trying; look at the platform's status page and at the network";
    const trouble = held.code === "unauthorized" ? "is refused" : "can't deliver";
    const line = `${name} ${trouble}, ${held.reason ?? held.code}, since ${held.since.slice(0, 19)}Z: ${remedy}`;
    return [{ ...problem, code: held.code, since: held.since, line }];
  });
}

function lostRemedy(code: string, setup: string): string {
  if (code === "internal") return "the log shows a mistake of Talaria, or an answer that it doesn't expect: report it";
  return `check the network and its address, or run ${setup}`;
}

/** Where it is not the platform's or the network's outage. */
const outageRemedies: Readonly<Record<string, (account: string, setup: string) => string>> = {
  unauthorized: (account, setup) => `put a working token or key where ${account} takes it from, or run ${setup}`,
  conflict: (_, setup) => `another program uses its token: end that, or give it a token of its own with ${setup}`,
};

function workplaces({ living }: ProblemFacts): readonly Problem[] {
  if (workplacesOf(living).every(({ works }) => works)) return [];
  const line = "workers lack commands, files or the browser: `talaria setup sandbox` says why, and mends it";
  return [
    { kind: "workplace", key: "workplace", code: "no_workplace", line, stopsAnswers: false, graceMs: shortGraceMs },
  ];
}
