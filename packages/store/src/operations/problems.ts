import type { AccountRow } from "../ports/accounts.ts";
import type { ProcessRow } from "../ports/operations.ts";
import type { PlannedAbsence, Problem } from "../ports/problem.ts";
import type { ProblemPhrases } from "../ports/problem-phrases.ts";
import type { ShutPlaces } from "../ports/shut-places.ts";
import { crashLoopsOf, steadyKeysOf } from "../processes/crash-loops.ts";
import { type ModelNews, modelLine, modelNewsOf } from "../processes/model-troubles.ts";
import { workplacesOf } from "../processes/workplaces.ts";
import { type AccountKeyFile, accountProblems } from "./account-problems.ts";
import { asPlanned } from "./as-planned.ts";
import { type ConfigState, configProblems, soundConfigKeys } from "./config-problem.ts";
import { openedPlaceKeys, shutPlaceProblems } from "./shut-place-problems.ts";
import { toSecond } from "./to-second.ts";

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
export function problemsOf(facts: ProblemFacts, phrases: ProblemPhrases): readonly Problem[] {
  const problems = [
    ...asPlanned(missingProcesses(facts, phrases), facts.planned, phrases),
    ...crashLoops(facts, phrases),
    ...modelProblems(facts, phrases),
    ...accountProblems(facts, phrases),
    ...workplaces(facts, phrases),
    ...(facts.places === undefined ? [] : shutPlaceProblems(facts.places, phrases)),
  ];
  const refused = facts.configuration === undefined ? [] : configProblems(facts.configuration, phrases);
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

function missingProcesses({ living }: ProblemFacts, phrases: ProblemPhrases): readonly Problem[] {
  const missing = (["gateway", "worker"] as const).filter((kind) => !living.some((one) => one.kind === kind));
  const problem = { code: "not_running", stopsAnswers: true, graceMs: shortGraceMs } as const;
  if (missing.length === 2) return [{ ...problem, kind: "gateway", key: "gateway", line: phrases.notRunning }];
  return missing.map((kind) => ({ ...problem, kind, key: kind, line: phrases.missing(kind) }));
}

function crashLoops({ living, now }: ProblemFacts, phrases: ProblemPhrases): readonly Problem[] {
  const loops = crashLoopsOf(living, now);
  return loops.map((loop) => {
    const { key, kind, since, at } = loop;
    const others = living.filter((one) => one.kind === kind).length - loops.filter((one) => one.kind === kind).length;
    const line = phrases.crashing({ ...loop, since: toSecond(since), at: toSecond(at) });
    return { kind, key, code: "crashing", line, stopsAnswers: others <= 0, since, seenAt: at, graceMs: 0 };
  });
}

function modelProblems({ living, models }: ProblemFacts, phrases: ProblemPhrases): readonly Problem[] {
  const news = modelNewsOf(living);
  const fails = (model: string) => news.some((one) => one.model === model && isTrouble(one));
  const nobodyAnswers = models.length > 0 && models.every(fails);
  return news.flatMap((one) => {
    const { model, code, since, at, isPassing } = one;
    if (code === undefined) return [];
    const line = modelLine({ ...one, code }, phrases);
    const problem = { kind: "model", key: `model:${model}`, code, line, failedAt: at } as const;
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

function workplaces({ living }: ProblemFacts, phrases: ProblemPhrases): readonly Problem[] {
  if (workplacesOf(living).every(({ works }) => works)) return [];
  const line = phrases.noWorkplace;
  return [
    { kind: "workplace", key: "workplace", code: "no_workplace", line, stopsAnswers: false, graceMs: shortGraceMs },
  ];
}
