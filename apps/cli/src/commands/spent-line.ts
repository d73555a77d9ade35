import { limitOf, moneyText } from "@talaria/policy";
import type { SpentNow } from "@talaria/sessions";
import { nameWords } from "./place-words.ts";

/**
 * `spent 6,237 of 30 million tokens, account web, until 2026-11-29T19:30:00Z`, and `3 refused` while it is reached. `now` is in
 * milliseconds since 1970.
 */
export function spentLine(spent: SpentNow, currency: string, now: number): string {
  const { key, used, max, endsInMs, refused, isReached } = spent;
  const unit = limitOf(key)?.unit;
  const amount = (count: number) => (unit === "money" ? moneyText(count, currency) : countWords(count));
  const what = unit === undefined || unit === "money" ? "" : ` ${unit}`;
  const notes = [
    `${amount(used)}${max === undefined ? "" : ` of ${amount(max)}`}${what}`,
    whose(spent),
    `until ${new Date(now + endsInMs).toISOString().slice(0, 19)}Z`,
    ...(isReached && refused > 0 ? [`${refused.toLocaleString("en")} refused`] : []),
  ];
  return `spent ${notes.join(", ")}`;
}

/** `"Ada" (42) on tg`, `conversation -100 on tg`, `account web`, `all accounts`. */
function whose({ key, displayName = "" }: SpentNow): string {
  const scope = limitOf(key)?.scope;
  const [, , account = "", ...own] = key.split("/");
  if (scope === "total") return "all accounts";
  if (scope === "account") return `account ${account}`;
  if (scope === undefined) return key;
  const named = `${nameWords(displayName, own.join("/"))} on ${account}`;
  return scope === "person" ? named : `conversation ${named}`;
}

/** `30 million`, `6,237`. */
function countWords(count: number): string {
  return count >= 1_000_000 && count % 100_000 === 0 ? `${count / 1_000_000} million` : count.toLocaleString("en");
}
