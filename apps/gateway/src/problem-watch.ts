import type { AccountId, Log } from "@talaria/protocol";
import {
  allClockTimes,
  isPlanned,
  type OperationsStore,
  type Problem,
  type ProblemFacts,
  type ProblemStore,
  problemsOf,
  type Sound,
  soundKeysOf,
} from "@talaria/store";
import { english, inEveryLanguage, type Words } from "@talaria/words";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 15_000;

export interface ProblemWatchDeps {
  readonly facts: () => Promise<ProblemFacts>;
  readonly problems: ProblemStore;
  readonly named: OperationsStore["named"];
  /** Lossy, and never throws. */
  readonly deliver: (accountId: AccountId) => void;
  readonly log: Log;
}

/** Tells owners at home what an operator has to mend, as long as it lasts. Several gateways may do it: one of them counts. */
export function startProblemWatch(deps: ProblemWatchDeps): Repeated {
  const failed = (error: unknown) => deps.log.warn({ error }, "problems could not be read");
  return repeat(() => tellProblems(deps), { everyMs, failed });
}

/** One look. Rejects when the store can't be reached now. */
export async function tellProblems(deps: ProblemWatchDeps): Promise<void> {
  const { facts, problems, deliver, log } = deps;
  const known = await facts();
  const over = await overAlready(known, deps);
  const toldIn = once((words) => toldOf(known, words, over));
  const lasting = toldIn(english);
  const sound = soundKeysOf(known).filter((key) => !lasting.some((problem) => problem.key === key));
  const news = await problems.note(
    lasting.map((problem, n) => ({
      ...problem,
      ...inEveryLanguage((words) => words.ownerNews.problem(toldIn(words)[n] ?? problem)),
    })),
    await Promise.all(sound.map((key) => overNews(key, deps))),
  );
  for (const key of news.begun) log.warn({ problem: key }, "owners were told of a problem");
  for (const key of news.over) log.info({ problem: key }, "owners were told that a problem is over");
  for (const accountId of news.accounts) deliver(accountId);
}

/** Works once for each language, whatever number of problems is told in it. */
function once<Told>(tell: (words: Words) => Told): (words: Words) => Told {
  const told = new Map<Words, Told>();
  return (words) => {
    const known = told.get(words) ?? tell(words);
    told.set(words, known);
    return known;
  };
}

/** In the same order in every language. An operator may do without commands; whoever needs them reads the reason in the answer, and in `talaria status`. */
function toldOf(known: ProblemFacts, { problemPhrases }: Words, over: ReadonlySet<string>): readonly Problem[] {
  return problemsOf(known, problemPhrases)
    .filter((problem) => problem.kind !== "workplace" && !isPlanned(problem) && !over.has(problem.key))
    .map((problem) => ({ ...problem, line: allClockTimes(problem.line, known.now) }));
}

/** Ways in which a model fails that have nothing to do with what it was asked. */
export const modelFailures = [
  ...["auth", "quota", "not_found", "rate_limit", "overloaded"],
  ...["server_error", "network", "stalled", "truncated"],
] as const;

/** What is over, and where people still wait for an answer because of it. */
async function overNews(key: string, { problems, named }: ProblemWatchDeps): Promise<Sound> {
  if (!key.startsWith("model:")) return { key, ...inEveryLanguage(({ ownerNews }) => overIn(ownerNews, key)) };
  const { count, sessionKeys } = await problems.failedMeanwhile(key, modelFailures);
  const places = await named(sessionKeys);
  return {
    key,
    ...inEveryLanguage(({ ownerNews }) => {
      const over = overIn(ownerNews, key);
      return count === 0 ? over : `${over}\n\n${ownerNews.failedMeanwhile(places, count - places.length)}`;
    }),
  };
}

/** Keys of models because of which nobody seemed to be answered, and somebody was: what workers report is some seconds old, and is over by then. */
async function overAlready(known: ProblemFacts, { problems }: ProblemWatchDeps): Promise<ReadonlySet<string>> {
  const failing = problemsOf(known, english.problemPhrases).filter(
    ({ kind, stopsAnswers }) => kind === "model" && stopsAnswers,
  );
  const over = await Promise.all(
    failing.map(async ({ key, failedAt }) =>
      failedAt !== undefined && (await problems.hasAnsweredSince(failedAt)) ? [key] : [],
    ),
  );
  return new Set(over.flat());
}

function overIn({ over }: Words["ownerNews"], key: string): string {
  const [kind, name = ""] = key.split(/:(.*)/s);
  if (kind === "model" || kind === "account") return over[kind](name);
  if (kind === "configuration") return over.configuration;
  if (kind === "crashes") return over.crashes(name.replace(/^.*\//, ""));
  if (kind === "place") {
    const [account, conversation = ""] = name.split(/\/(.*)/s);
    return over.place(account ?? "", conversation);
  }
  return kind === "worker" ? over.worker : over.gateway;
}
