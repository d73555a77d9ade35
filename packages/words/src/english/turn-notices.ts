import type { Charge } from "@talaria/policy";
import { codeOf } from "../marks.ts";
import { limits } from "./limits.ts";
import { counted, inWords } from "./spans.ts";

const minuteMs = 60_000;

/** What people read who are answered: limits, and what the worker itself says. Why a turn failed is in `turnFailures`. */
export const turnNotices = {
  takesWords: (id: string, isDirect: boolean) =>
    isDirect
      ? "Your next words here are the answer; `/stop` ends everything."
      : `To answer in words, reply to this message, or write \`/answer ${id}\` and your answer behind it.`,
  /**
   * A limit of `limits.spending` is reached; people may write again in `endsInMs`. `number`: an owner may lift it by that. `name`: of whoever
   * is meant by "you", where others read it too.
   */
  spent: (limit: SpentLimit, endsInMs: number, lifting: Lifting = {}, name = "") =>
    `${reachedIn(limit, name)} Please write again in ${inWords(endsInMs)}${or(lifting)}.`,
  /** The same in the middle of a turn that has made `calls`. Undefined: which limit it was is not known. */
  spentMeanwhile: (limit: SpentLimit | undefined, endsInMs: number, calls: number, lifting: Lifting = {}) => {
    const stopped = calls === 0 ? "I stopped here." : `I stopped here after ${counted(calls, "call")}.`;
    const reason = limit === undefined ? "A limit was reached." : reachedIn(limit);
    return `${stopped} ${reason} Say "continue" in ${inWords(endsInMs)} to go on${or(lifting)}.`;
  },
  /** For owners, where they are asked. `limit` names it and whose it is. */
  spentElsewhere: (limit: string, name: string, place: string, number: string, endsInMs: number) =>
    `${codeOf(name)} can't go on in ${place}: ${limit} is reached. It goes on in ${inWords(endsInMs)}. \`/lift ${number}\` lifts it for a day.`,
  /** Behind the reason for which a model failed, where somebody asked who is no owner. */
  tellOperator: "Please tell the person who runs me.",
  /** The same where an owner asked. */
  ownersRemedy: "As an owner, run `talaria status` where I run: it names the model and what to do.",
  crashLoop: "I couldn't finish this: something kept failing. The person who runs me can find the reason in the log.",
} as const;

type SpentLimit = Pick<Charge, "scope" | "unit" | "windowMs">;

function reachedIn({ scope, unit, windowMs }: SpentLimit, name = ""): string {
  const whose = {
    person: [name.trim() === "" ? "You've reached" : `${codeOf(name)}, you've reached`, "your"],
    conversation: ["This conversation has reached", "its"],
    account: ["I've reached", "my"],
    total: ["I've reached", "my"],
  } as const;
  const [who, its] = whose[scope];
  const isPace = unit === "turns" && windowMs <= minuteMs;
  return `${who} ${isPace && scope === "person" ? "the" : its} ${limits.words({ unit, windowMs })}.`;
}

/** Who can lift a limit, and by which number. */
export interface Lifting {
  /** Absent: nobody needs to. */
  readonly number?: string | undefined;
  readonly isOwner?: boolean;
}

function or({ number, isOwner = false }: Lifting): string {
  if (number === undefined) return "";
  return isOwner
    ? `, or lift the limit for a day: \`/lift ${number}\`. The configuration's \`limits.spending.owner\` raises it for good`
    : `, or ask an owner: \`/lift ${number}\` lifts the limit for a day`;
}
