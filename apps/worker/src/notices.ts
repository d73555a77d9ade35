import { notices as agentNotices } from "@talaria/agent";
import type { Charge } from "@talaria/policy";
import { counted, inWords } from "@talaria/sessions";

const minuteMs = 60_000;

/** All texts that the worker itself sends to people. The reasons why a turn failed are in `@talaria/agent`. */
export const notices = {
  takesWords: (id: string, isDirect: boolean) =>
    isDirect
      ? "Your next words here are the answer; `/stop` ends everything."
      : `To answer in words, reply to this message, or write \`/answer ${id}\` and your answer behind it.`,
  /** A limit of `limits.spending` is reached; people may write again in `endsInMs`. */
  spent: (limit: SpentLimit, endsInMs: number) => `${reachedIn(limit)} Please write again in ${inWords(endsInMs)}.`,
  /** The same in the middle of a turn that has made `calls`. Undefined: which limit it was is not known. */
  spentMeanwhile: (limit: SpentLimit | undefined, endsInMs: number, calls: number) => {
    const stopped = calls === 0 ? "I stopped here." : `I stopped here after ${counted(calls, "call")}.`;
    const reason = limit === undefined ? "A limit was reached." : reachedIn(limit);
    return `${stopped} ${reason} Say "continue" in ${inWords(endsInMs)} to go on.`;
  },
  timedOut: agentNotices.time_limit,
  crashLoop: "I couldn't finish this: something kept failing. The operator can find the reason in the log.",
} as const;

type SpentLimit = Pick<Charge, "scope" | "unit" | "windowMs">;

function reachedIn({ scope, unit, windowMs }: SpentLimit): string {
  const whose = {
    person: ["You've reached", "your"],
    conversation: ["This conversation has reached", "its"],
    account: ["I've reached", "my"],
    total: ["I've reached", "my"],
  } as const;
  const [who, its] = whose[scope];
  const limits = {
    turns:
      windowMs <= minuteMs
        ? `${scope === "person" ? "the" : its} limit of messages per minute`
        : `${its} daily limit of messages`,
    tokens: `${its} daily limit of tokens`,
    money: `${its} monthly limit of money`,
  };
  return `${who} ${limits[unit]}.`;
}
