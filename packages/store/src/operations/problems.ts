import type { AccountRow } from "../ports/accounts.ts";
import type { ProcessRow } from "../ports/operations.ts";
import type { PlannedAbsence, Problem } from "../ports/problem.ts";
import type { ShutPlaces } from "../ports/shut-places.ts";
import { crashLoopsOf, steadyKeysOf } from "../processes/crash-loops.ts";
import { type ModelNews, modelNewsOf } from "../processes/model-troubles.ts";
import { workplacesOf } from "../processes/workplaces.ts";
import { type AccountKeyFile, accountProblems } from "./account-problems.ts";
import { asPlanned } from "./as-planned.ts";
import { type ConfigState, configProblems, soundConfigKeys } from "./config-problem.ts";
import { openedPlaceKeys, shutPlaceProblems } from "./shut-place-problems.ts";

export interface ProblemFacts {
  readonly living: readonly ProcessRow[];
  readonly accounts: readonly AccountRow[];
  /** The agent's model and its fallbacks, by name. */
  readonly models: readonly string[];
  /** The secret files of accounts, by the account's name; `secret` is what `talaria secret set` calls one. */
  readonly accountKeyFiles?: Readonly<Record<string, readonly AccountKeyFile[]>>;
  /** Absent: nobody has looked. */
  readonly places?: ShutPlaces;
  /** Absent: what is missing is missing against somebody's will, as far as anybody here knows. */
  readonly planned?: PlannedAbsence;
  /** Of the `talaria start` of this machine. Absent: nobody knows. */
  readonly configuration?: ConfigState;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** A request is tried again at once: so many that failed in a row have kept somebody from an answer. */
const manyRequests = 2;
const shortGraceMs = 60_000;

/** All that living processes and accounts say: a configuration that is not in use first, then what keeps people from answers. */
export function problemsOf(facts: ProblemFacts): readonly Problem[] {
  const problems = [
    ...asPlanned(missingProcesses(facts), facts.planned),
    ...crashLoops(facts),
    ...modelProblems(facts),
    ...accountProblems(facts),
    ...workplaces(facts),
    ...(facts.places === undefined ? [] : shutPlaceProblems(facts.places)),
  ];
  const refused = facts.configuration === undefined ? [] : configProblems(facts.configuration);
  return [...refused, ...problems.toSorted((one, other) => Number(other.stopsAnswers) - Number(one.stopsAnswers))];
}

/** Keys of what is seen to work: a problem of theirs is over. What nobody has tried yet is not among them. */
export function soundKeysOf({ living, accounts, places, configuration, now }: ProblemFacts): readonly string[] {
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
    ...(configuration === undefined ? [] : soundConfigKeys(configuration)),
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

function workplaces({ living }: ProblemFacts): readonly Problem[] {
  if (workplacesOf(living).every(({ works }) => works)) return [];
  const line = "workers lack commands, files or the browser: `talaria setup sandbox` says why, and mends it";
  return [
    { kind: "workplace", key: "workplace", code: "no_workplace", line, stopsAnswers: false, graceMs: shortGraceMs },
  ];
}
