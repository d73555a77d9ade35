import { codeOf } from "../marks.ts";
import { inWords } from "./spans.ts";

/** What owners read at home of trouble that somebody has to mend, and that it is over. Markdown. */
export const ownerNews = {
  databaseFull:
    "People get no answers from me: the disk of my database is full. Make room on it; I go on by myself then.\n\nI'll say when it is over.",
  databaseAway:
    "People get no answers from me: my database takes no messages. `talaria status`, where I run, says why.\n\nI'll say when it is over.",
  /** `since`: such as `2026-11-29T10:00:00Z`. */
  databaseBack: (lastedMs: number, since: string) =>
    `It's over: my database takes messages again. It took none for ${inWords(lastedMs)}, since ${since}. I now read what the platforms have kept meanwhile.`,
  /** `line`: what lasts, as `talaria status` says it, and what to do. `isNote`: only some texts don't arrive. */
  problem: ({ line, stopsAnswers, isNote = false }: OwnersProblem) =>
    `${stopsAnswers ? "People get no answers from me" : isNote ? "Messages of mine don't arrive" : "Something needs mending"}: ${line}\n\nI'll say when it is over. \`talaria status\`, where I run, shows all that is known.`,
  /** `count`: of conversations. */
  failedMeanwhile: (count: string) =>
    `Conversations whose last message got no answer because of it: ${count}. \`/retry\`, written there, answers it.`,
  over: {
    model: (name: string) => `It's over: model ${name} answers again.`,
    account: (name: string) => `It's over: account ${name} is connected again.`,
    gateway: "It's over: a gateway is running again.",
    worker: "It's over: a worker is running again.",
    /** `kind`: of the process, such as `worker`. */
    crashes: (kind: string) => `It's over: the ${kind} has been running for ten minutes.`,
    place: (account: string, conversation: string) =>
      `It's over: account ${account} can write to ${codeOf(conversation)} again.`,
  },
} as const;

interface OwnersProblem {
  readonly line: string;
  readonly stopsAnswers: boolean;
  readonly isNote?: boolean | undefined;
}
