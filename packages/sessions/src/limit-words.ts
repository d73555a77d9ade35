import { limitId, limitOf } from "@talaria/policy";
import type { Choice, Conversation } from "@talaria/protocol";
import { codeOf } from "./approval-notices.ts";

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** What a limit of a minute, a day or 30 days is of, such as `daily limit of tokens`. */
export function limitWords({ unit, windowMs }: { readonly unit: string; readonly windowMs: number }): string {
  if (unit === "money") return "monthly limit of money";
  if (unit === "tokens") return "daily limit of tokens";
  return windowMs <= minuteMs ? "limit of messages per minute" : "daily limit of messages";
}

/** The same with whose it is, such as ``the daily limit of tokens for `Ada` (`42`) on account `tg` ``. `name`: of the person. */
export function limitNamed(key: string, name = ""): string {
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

/** The number that `/lift` takes. Undefined: it is over within a minute, and nobody needs to lift it. */
export function liftNumber(key: string): string | undefined {
  const windowMs = limitOf(key)?.windowMs ?? 0;
  return windowMs < dayMs ? undefined : limitId(key);
}

/** What notices about the limit with this number are about. */
export function limitSubject(number: string): string {
  return `limit ${number}`;
}

/** The button that lifts the limit with this number for a day. In a group the notice below which it stands then says so in its own message. */
export function liftChoice(number: string, place: Conversation["kind"]): Choice {
  return { id: `lift-${number}${place === "direct" ? "" : "-here"}`, label: "Lift for a day" };
}
