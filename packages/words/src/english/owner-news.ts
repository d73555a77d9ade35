import { codeOf } from "../marks.ts";
import { calledPlace, type NamedPlace } from "./called-place.ts";
import { capital, inOne, inWords } from "./spans.ts";

/** What owners read at home of trouble that somebody has to mend, and that it is over. Markdown. */
export const ownerNews = {
  databaseFull:
    "People get no answers from me: the disk of my database is full. Make room on it; I go on by myself then.\n\nI'll say when it is over.",
  databaseAway:
    "People get no answers from me: my database takes no messages. `talaria status`, where I run, says why.\n\nI'll say when it is over.",
  /** `since`: such as `since 10:00 UTC`. */
  databaseBack: (lastedMs: number, since: string) =>
    `It's over: my database takes messages again. It took none for ${inWords(lastedMs)}, ${since}. I now read what the platforms have kept meanwhile.`,
  /** `line`: what lasts, as `talaria status` says it, and what to do. `isNote`: only some texts don't arrive. */
  problem: ({ line, stopsAnswers, isNote = false }: OwnersProblem) =>
    `${stopsAnswers ? "People get no answers from me" : isNote ? "Messages of mine don't arrive" : "Something needs mending"}. ${inSentences(line)}\n\nI'll say when it is over. \`talaria status\`, where I run, shows all that is known.`,
  /** `more`: conversations beside those that are named. */
  failedMeanwhile: (named: readonly NamedPlace[], more: number) =>
    `Conversations whose last message got no answer because of it: ${inOne([...named.map(calledPlace), ...(more > 0 ? [`${more} more`] : [])])}. \`/retry\`, written there, answers it${named.some(({ conversation }) => conversation.kind !== "direct") ? "; in a group, a member or an owner has to write that" : ""}.`,
  over: {
    model: (name: string) => `It's over: model ${name} answers again.`,
    account: (name: string) => `It's over: account ${name} is connected again.`,
    gateway: "It's over: a gateway is running again.",
    worker: "It's over: a worker is running again.",
    /** `kind`: of the process, such as `worker`. */
    crashes: (kind: string) => `It's over: the ${kind} has been running for ten minutes.`,
    configuration: "It's over: I use what my configuration file says again.",
    place: (account: string, conversation: string) =>
      `It's over: account ${account} can write to ${codeOf(conversation)} again.`,
  },
} as const;

interface OwnersProblem {
  readonly line: string;
  readonly stopsAnswers: boolean;
  readonly isNote?: boolean | undefined;
}

/** `model main: it is away: wait` as `Model main: it is away. Wait.` Colons in parentheses and in code are no ends of sentences. */
function inSentences(line: string): string {
  const [, subject = "", trouble = line, remedy] = sentences.exec(line) ?? [];
  return [`${subject}${trouble}`, ...(remedy === undefined ? [] : [remedy])].map(sentence).join(" ");
}

const sentences = /^(model \S+: )?((?:\([^()]*\)|`[^`]*`|(?!: ).)+)(?:: (.+))?$/s;

function sentence(words: string): string {
  return `${capital(words)}${/[.!?]$/.test(words) ? "" : "."}`;
}
