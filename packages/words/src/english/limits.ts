import { type Charge, limitOf, moneyText, type SpendingScope } from "@talaria/policy";
import { codeOf } from "../marks.ts";
import { inWords } from "./spans.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** What is left of a limit, in words. */
export interface LeftLimit {
  readonly whose: string;
  readonly what: string;
  readonly endsInMs?: number | undefined;
  readonly liftedForMs?: number | undefined;
}

type Limit = Pick<Charge, "scope" | "unit" | "windowMs">;

/** About limits of `limits.spending`. `currency` is the operator's; money is in millionths of it. */
export const limits = {
  words: limitWords,
  named: limitNamed,
  lift: "Lift for a day",
  whose: {
    person: "you",
    conversation: "this conversation",
    account: "this account",
    total: "all accounts",
  } as Readonly<Record<SpendingScope, string>>,
  /** Such as `2 of 40 turns this minute`. */
  left: ({ unit, windowMs }: Limit, left: number, max: number, currency: string) => {
    const [rest, whole] = [left, max].map((count) =>
      unit === "money" ? moneyText(count, currency) : count.toLocaleString("en"),
    );
    return unit === "money"
      ? `${rest} of ${whole}`
      : `${rest} of ${whole} ${unit}${windowMs <= minuteMs ? " this minute" : ""}`;
  },
  /** Such as `you 3 of 10 turns this minute`. `untilMs`: it is reached, and ends in so long. */
  used: ({ scope, unit, windowMs }: Limit, used: number, max: number, currency: string, untilMs?: number) => {
    const period = windowMs <= minuteMs ? "this minute" : windowMs <= dayMs ? "in 24 hours" : "in 30 days";
    const [spent, of] =
      unit === "money"
        ? [moneyText(used, currency), moneyText(max, currency)]
        : [used.toLocaleString("en"), `${max.toLocaleString("en")} ${unit}`];
    const until = untilMs === undefined ? "" : ` (reached: I go on in ${inWords(untilMs)})`;
    return `${limits.whose[scope]} ${spent} of ${of} ${period}${until}`;
  },
  /**
   * Told where messages wait again, or don't, that a limit had refused: all, the newest or none of them are answered. `alone`: to the person
   * whose limit it was, in private.
   */
  takenUp: (key: string, named: string, withinHours: number, mostEach: number) => {
    // Others of a group may be at limits of their own: a person's names them.
    const isPersons = limitOf(key)?.scope === "person";
    const lifted = `An owner has lifted ${isPersons ? `${named}, which` : "the limit that"} had stopped me here.`;
    return {
      taken: `${lifted} I answer now what I had left because of it: no need to write it again.`,
      both: `${lifted} I answer now the newest messages that I had left because of it, of the last ${withinHours} hours and ${mostEach} at most. Please write again what you still need of the others.`,
      left: `${lifted} Please write again what you still need an answer to.`,
      ...(isPersons && { alone: aloneTakenUp(key, withinHours, mostEach) }),
    };
  },
};

function aloneTakenUp(key: string, withinHours: number, mostEach: number) {
  const limit = limitOf(key);
  const lifted = `An owner has lifted your ${limit === undefined ? "limit" : limitWords(limit)} for a day.`;
  return {
    taken: `${lifted} I'm answering what you wrote meanwhile: no need to write it again.`,
    both: `${lifted} I'm answering the newest of what you wrote meanwhile: ${mostEach} messages at most, of the last ${withinHours} hours. Please write again what you still need of the others.`,
    left: `${lifted} Please write again what you still need an answer to.`,
  };
}

/** What a limit of a minute, a day or 30 days is of, such as `daily limit of tokens`. */
function limitWords({ unit, windowMs }: { readonly unit: string; readonly windowMs: number }): string {
  if (unit === "money") return "monthly limit of money";
  if (unit === "tokens") return "daily limit of tokens";
  return windowMs <= minuteMs ? "limit of messages per minute" : "daily limit of messages";
}

/** The same with whose it is, such as ``the daily limit of tokens for `Ada` (`42`) on account `tg` ``. `name`: of the person. */
function limitNamed(key: string, name = ""): string {
  const limit = limitOf(key);
  if (limit === undefined) return "a limit";
  const [, , account = "", ...rest] = key.split("/");
  const own = rest.join("/");
  const whose = {
    person: `${name.trim() === "" || name === own ? codeOf(own) : `${codeOf(name)} (${codeOf(own)})`} on account ${codeOf(account)}`,
    conversation: `conversation ${codeOf(own)} on account ${codeOf(account)}`,
    account: `account ${codeOf(account)}`,
    total: "all accounts together",
  };
  return `the ${limitWords(limit)} for ${whose[limit.scope]}`;
}
