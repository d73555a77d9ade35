import { moneyText } from "@talaria/policy";
import { type AccountId, brandAs } from "@talaria/protocol";
import {
  type PairingStore,
  type Usage,
  type UsageGroup,
  type UsageLately,
  type UsageOfDay,
  type UsageQuery,
  usageGroups,
} from "@talaria/store";
import type { LoadedHome } from "../load-home.ts";
import { withStore } from "../open-store.ts";
import { onePerson } from "./known-person.ts";
import { nameWords } from "./place-words.ts";

type Options = Readonly<Record<string, string | boolean | undefined>>;

const dayMs = 86_400_000;
const mostDays = 36_500;
const mostRows = 10_000;

/** `talaria usage`: what models were used for, and what it cost. Shows ids and names, and no message text. */
export async function usage(options: Options): Promise<void> {
  const when = { now: Date.now(), timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone };
  usageQuery({ ...options, person: undefined }, when);
  await withStore(options, async ({ operations, pairing }, loaded) => {
    const { currency } = loaded.config.limits.spending;
    const query = usageQuery({ ...options, person: await idOf(options.person, pairing, loaded) }, when);
    const [found, [total], seen] = await Promise.all([
      operations.usage(query),
      operations.usage({ ...query, by: "total", limit: 1 }),
      query.by === "person" ? pairing.seen() : [],
    ]);
    const names = new Map(seen.map((one) => [`${one.accountId}/${one.userId}`, one.displayName]));
    const rows = found.map((row) => ({ ...row, ...nameOf(names.get(row.of)) }));
    const { by, timeZone } = query;
    const day = "day" in query ? query.day : undefined;
    if (options.json === true) {
      console.log(JSON.stringify({ currency, by, timeZone, day, rows, total: total ?? null }, null, 2));
      return;
    }
    if (day !== undefined || by === "day") console.log(`${day ?? "days"} in ${timeZone}`);
    for (const line of usageLines(by, rows, total, currency)) console.log(line);
  });
}

/**
 * What the options ask for; `now` is in milliseconds since 1970, `timeZone` where days begin. One day is shown by person unless told
 * otherwise. Throws, naming the option, for words that mean nothing.
 */
export function usageQuery(options: Options, { now, timeZone }: { readonly now: number; readonly timeZone: string }) {
  const { account, person, limit } = options;
  const time = timeOf(options, now, timeZone);
  const by = options.by ?? ("day" in time ? "person" : "day");
  const group = usageGroups.find((name) => name === by);
  if (group === undefined) throw new Error(`--by has to be one of ${usageGroups.join(", ")}`);
  return {
    ...time,
    by: group,
    timeZone,
    limit: wholeNumber("--limit", limit ?? "50", mostRows),
    ...(typeof account === "string" ? { accountId: brandAs<AccountId>(account) } : {}),
    ...(typeof person === "string" ? { person: personIn(person) } : {}),
  } satisfies UsageQuery;
}

function timeOf({ day, days, yesterday }: Options, now: number, timeZone: string): UsageLately | UsageOfDay {
  if ([day, days, yesterday].filter((one) => one !== undefined).length > 1)
    throw new Error("--yesterday, --day and --days exclude each other: choose one");
  if (yesterday === true) return { day: dayBefore(now, timeZone) };
  if (day === undefined) return { withinMs: wholeNumber("--days", days ?? "30", mostDays) * dayMs };
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day || day < "1970")
    throw new Error("--day has to be a day such as 2026-11-22");
  return { day };
}

function dayBefore(now: number, timeZone: string): string {
  // The form of this locale is that of ISO 8601.
  const today = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" }).format(now);
  return new Date(Date.parse(`${today}T00:00:00Z`) - dayMs).toISOString().slice(0, 10);
}

/** One line for each row under a line of titles, the columns below each other, and the total. */
export function usageLines(
  by: UsageGroup,
  rows: readonly (Usage & Named)[],
  total: Usage | undefined,
  currency: string,
): readonly string[] {
  if (total === undefined) return ["nothing was used"];
  const titles = [by, "answers", "input", "cached", "output", "cost"];
  const cells = [...(by === "total" ? [] : rows), { ...total, of: "total" }].map((row) => cellsOf(row, currency));
  const table = [titles, ...cells];
  const widths = titles.map((_, n) => Math.max(...table.map((line) => line[n]?.length ?? 0)));
  return table.map((line) =>
    line
      .map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}

interface Named {
  /** Of a person, where they have written lately. */
  readonly displayName?: string;
}

function nameOf(displayName = ""): Named {
  return displayName === "" ? {} : { displayName };
}

function cellsOf(usage: Usage & Named, currency: string): readonly string[] {
  const { of, displayName = "", answers, inputTokens, cachedTokens, outputTokens } = usage;
  const cached = Math.round((100 * cachedTokens) / Math.max(1, inputTokens));
  const counts = [answers, inputTokens].map((count) => count.toLocaleString("en"));
  const name = of === "" ? "-" : nameWords(displayName, of);
  return [name, ...counts, `${cached} %`, outputTokens.toLocaleString("en"), costText(usage, currency)];
}

function costText({ cost, unpriced, answers }: Usage, currency: string): string {
  if (cost === undefined) return "unknown";
  const known = moneyText(cost, currency);
  return unpriced === 0 ? known : `${known} + unknown for ${unpriced} of ${answers}`;
}

function personIn(text: string): NonNullable<UsageQuery["person"]> {
  const slash = text.indexOf("/");
  if (slash < 1 || slash === text.length - 1)
    throw new Error("--person has to be <account>/<id>, as `talaria usage --by person` shows it");
  return { accountId: brandAs(text.slice(0, slash)), userId: brandAs(text.slice(slash + 1)) };
}

/** `<account>/<id>` of whom a name, username or principal means. */
async function idOf(person: string | boolean | undefined, pairing: PairingStore, loaded: LoadedHome) {
  if (typeof person !== "string" || person.includes("/")) return person;
  const { accountId, userId } = await onePerson(person, pairing, loaded);
  return `${accountId}/${userId}`;
}

function wholeNumber(option: string, given: string | boolean, most: number): number {
  const number = Number(given);
  if (!Number.isInteger(number) || number < 1 || number > most)
    throw new Error(`${option} has to be a whole number from 1 to ${most}`);
  return number;
}
