import type { AccountId, Log } from "@talaria/protocol";
import { type Problem, type ProblemFacts, type ProblemStore, problemsOf, soundKeysOf } from "@talaria/store";
import { codeOf } from "@talaria/words";
import { type Repeated, repeat } from "./repeat.ts";

const everyMs = 15_000;

export interface ProblemWatchDeps {
  readonly facts: () => Promise<ProblemFacts>;
  readonly problems: ProblemStore;
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
export async function tellProblems({ facts, problems, deliver, log }: ProblemWatchDeps): Promise<void> {
  const known = await facts();
  // An operator may do without commands; whoever needs them reads the reason in the answer, and in `talaria status`.
  const lasting = problemsOf(known).filter(({ kind }) => kind !== "workplace");
  const news = await problems.note(
    lasting.map((problem) => ({ ...problem, markdown: wordsOf(problem) })),
    soundKeysOf(known)
      .filter((key) => !lasting.some((problem) => problem.key === key))
      .map((key) => ({ key, markdown: overWords(key) })),
  );
  for (const key of news.begun) log.warn({ problem: key }, "owners were told of a problem");
  for (const key of news.over) log.info({ problem: key }, "owners were told that a problem is over");
  for (const accountId of news.accounts) deliver(accountId);
}

function wordsOf({ line, stopsAnswers, isNote }: Problem): string {
  const lesser = isNote === true ? "Messages of mine don't arrive" : "Something has to be mended";
  const opening = stopsAnswers ? "People get no answers from me" : lesser;
  return `${opening}: ${line}\n\nI'll say when it is over. \`talaria status\`, where I run, shows all that is known.`;
}

function overWords(key: string): string {
  const [kind, name = ""] = key.split(/:(.*)/s);
  if (kind === "model") return `It's over: model ${name} answers again.`;
  if (kind === "account") return `It's over: account ${name} is connected again.`;
  if (kind === "crashes") return `It's over: the ${name.replace(/^.*\//, "")} has been running for ten minutes.`;
  if (kind === "place") {
    const [account, conversation = ""] = name.split(/\/(.*)/s);
    return `It's over: account ${account} can write to ${codeOf(conversation)} again.`;
  }
  return `It's over: a ${kind} is running again.`;
}
