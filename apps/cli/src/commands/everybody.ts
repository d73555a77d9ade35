import type { ListedPerson, TalariaConfig } from "@talaria/config";
import { type AccountId, brandAs, type Instant, plainName, type UserId } from "@talaria/protocol";
import type { PairingRow, SeenPerson } from "@talaria/store";
import { durationText } from "../duration-text.ts";
import { personWords } from "./paired-person.ts";
import { typedWord } from "./place-words.ts";

const numberLength = 8;

/** Somebody who may talk to the agent, or asked to, whoever says so. */
export interface KnownPerson {
  readonly role: "owner" | "member" | "none";
  readonly state: PairingRow["state"] | "listed";
  readonly accountId: AccountId;
  readonly userId: UserId;
  /** What they call themselves; empty where they have not written lately. */
  readonly displayName: string;
  /** What the platform calls them, where they have written lately. */
  readonly username?: string;
  /** What names them alone to every command that takes a person. */
  readonly handle: string;
  /** What says so: a key of the configuration and its line, or an owner's or operator's decision. */
  readonly from: { readonly key: string; readonly line: number } | { readonly id: string; readonly by?: string };
  /** When somebody decided, or when they asked. */
  readonly since?: Instant;
  readonly lastSeen?: Instant;
}

export interface PeopleSources {
  readonly listed: readonly ListedPerson[];
  readonly accounts: Readonly<Record<string, Pick<TalariaConfig["accounts"][string], "platform">>>;
  readonly rows: readonly PairingRow[];
  readonly seen: readonly SeenPerson[];
}

/** Owners first, then those in the lists of accounts, then those about whom somebody has decided, and those who wait. */
export function everybody({ listed, accounts, rows, seen }: PeopleSources): readonly KnownPerson[] {
  const lastOf = new Map(seen.map((one) => [keyOf(one), one]));
  const known = (accountId: AccountId, userId: UserId) => {
    const last = lastOf.get(keyOf({ accountId, userId }));
    const { displayName: name = "", username, at } = last ?? {};
    return { name, ...(username !== undefined && { username }), ...(at !== undefined && { lastSeen: at }) };
  };
  const fromFile = listed.flatMap(({ userId, role, platform, account, key, line }) =>
    Object.entries(accounts)
      .filter(([id, one]) => (account === undefined ? one.platform === platform : id === account))
      .map(([id]): KnownPerson => {
        const accountId = brandAs<AccountId>(id);
        const { name, ...last } = known(accountId, userId);
        const person = { role, state: "listed", accountId, userId, displayName: name } as const;
        return { ...person, handle: `${accountId}/${userId}`, from: { key, line }, ...last };
      }),
  );
  const handleOf = handlesOf(rows);
  const owners = fromFile.filter(({ role }) => role === "owner");
  return [
    ...owners,
    ...fromFile.filter(({ role }) => role !== "owner"),
    ...[...rows.filter(({ state }) => state !== "waiting"), ...rows.filter(({ state }) => state === "waiting")].map(
      ({ id, state, accountId, userId, displayName, createdAt, decidedAt = createdAt, decidedBy }): KnownPerson => {
        const { name: _, ...last } = known(accountId, userId);
        const from = { id, ...(decidedBy === undefined ? {} : { by: decidedBy }) };
        const role = state === "approved" ? "member" : "none";
        return { role, state, accountId, userId, displayName, handle: handleOf(id), from, since: decidedAt, ...last };
      },
    ),
  ];
}

/** The number that chats show as well, unless that may mean somebody else, too: then the whole id. */
function handlesOf(rows: readonly PairingRow[]): (id: string) => string {
  const others = new Set(rows.flatMap(({ userId, displayName }) => [userId, displayName].map(plainName)));
  const numbers = Map.groupBy(rows, ({ id }) => id.slice(0, numberLength));
  return (id) => {
    const number = id.slice(0, numberLength);
    return numbers.get(number)?.length === 1 && !others.has(number) ? number : id;
  };
}

/** One line each, in columns. `file` is the configuration's. `now` is in milliseconds since 1970. */
export function peopleLines(people: readonly KnownPerson[], file: string, now: number): readonly string[] {
  if (people.length === 0) return ["nobody: no owner, nobody in a list of the configuration, and nobody has asked"];
  const cells = people.map((person) => [
    standingOf(person),
    personWords(person),
    typedWord(person.handle),
    sourceOf(person, file, now),
    person.lastSeen === undefined ? "" : `last wrote ${ago(person.lastSeen, now)}`,
  ]);
  const widths = [0, 1, 2, 3].map((n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** What lists somebody, as an operator finds it: `owners, line 3 of config.yaml`. */
export function placeInFile({ key, line }: { readonly key: string; readonly line: number }, file: string): string {
  return `${key}, line ${line} of ${file}`;
}

function standingOf({ role, state }: KnownPerson): string {
  return state === "listed" || state === "approved" ? role : state;
}

function sourceOf({ from, since, state }: KnownPerson, file: string, now: number): string {
  if ("key" in from) return placeInFile(from, file);
  const by = from.by === undefined ? "" : ` by ${JSON.stringify(from.by)}`;
  const what = {
    approved: "let in",
    waiting: "asked",
    listed: "",
    ignored: "ignored",
    blocked: "blocked",
    removed: "removed",
  };
  return `${what[state]}${by} ${since === undefined ? "" : ago(since, now)}`.trimEnd();
}

function ago(instant: Instant, now: number): string {
  return `${durationText(Math.max(0, now - Date.parse(instant)))} ago`;
}

function keyOf({ accountId, userId }: Pick<SeenPerson, "accountId" | "userId">): string {
  return JSON.stringify([accountId, userId]);
}
