import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listedPeople } from "@talaria/config";
import { type AccountId, brandAs, instantOf, type UserId } from "@talaria/protocol";
import { peopleMeant } from "@talaria/sessions";
import type { PairingRow, SeenPerson } from "@talaria/store";
import { everybody, peopleLines } from "./everybody.ts";

const now = Date.UTC(2026, 10, 27, 12);
const minutesAgo = (minutes: number) => instantOf(now - minutes * 60_000);
const account = brandAs<AccountId>("tg");

const file = `owners: ["telegram:user:1"]
accounts:
  tg: { platform: telegram, access: { allow: ["telegram:user:2"] } }
`;
const accounts = {
  tg: { platform: "telegram" },
  second: { platform: "telegram" },
  dc: { platform: "discord" },
} as const;

function row(id: string, state: PairingRow["state"], more: Partial<PairingRow> = {}): PairingRow {
  const userId = brandAs<UserId>(`9${id}`);
  return {
    id: `${id}-id`,
    accountId: account,
    userId,
    displayName: `N${id}`,
    state,
    createdAt: minutesAgo(90),
    ...more,
  };
}

const seen: SeenPerson[] = [
  { accountId: account, userId: brandAs<UserId>("1"), displayName: "Ann\u001b[31m", at: minutesAgo(5) },
  { accountId: account, userId: brandAs<UserId>("9c"), displayName: "Later", at: minutesAgo(2) },
];

describe("everybody who may talk to the agent", () => {
  const rows = [
    row("a", "waiting"),
    row("b", "blocked", { decidedAt: minutesAgo(30), decidedBy: "Ann\u001b" }),
    row("c", "approved", { decidedAt: minutesAgo(60) }),
  ];
  const people = everybody({ listed: listedPeople(file), accounts, rows, seen });

  it("is listed with account, role and what says so: owners on each account of their platform, lists, and decisions", () => {
    assert.deepEqual(
      people.map(({ role, state, accountId, userId }) => [role, state, accountId, userId]),
      [
        ["owner", "listed", "tg", "1"],
        ["owner", "listed", "second", "1"],
        ["member", "listed", "tg", "2"],
        ["none", "blocked", "tg", "9b"],
        ["member", "approved", "tg", "9c"],
        ["none", "waiting", "tg", "9a"],
      ],
    );
    assert.deepEqual(people[0]?.from, { key: "owners", line: 1 });
  });

  it("is one line each, and no name reaches the terminal as it is", () => {
    assert.deepEqual(
      peopleLines(people, "/c.yaml", now).map((line) => line.replace(/ {2,}/g, " | ")),
      [
        'owner | "Ann\\u001b[31m" (1) on tg | tg/1 | owners, line 1 of /c.yaml | last wrote 5 min ago',
        "owner | 1 on second | second/1 | owners, line 1 of /c.yaml",
        "member | 2 on tg | tg/2 | accounts.tg.access.allow, line 3 of /c.yaml",
        'blocked | "Nb" (9b) on tg | b-id | blocked by "Ann\\u001b" 30 min ago',
        'member | "Nc" (9c) on tg | c-id | let in 1 h ago | last wrote 2 min ago',
        'waiting | "Na" (9a) on tg | a-id | asked 1 h 30 min ago',
      ],
    );
  });

  it("each has a handle that means nobody else, which is the whole id where the number might", () => {
    const ids = ["0a1b2c3d-1", "1a1b2c3d-1", "2a1b2c3d-1", "3a1b2c3d-1", "3a1b2c3d-2"];
    const alike = ids.map((id) => row(id, "approved"));
    const known = [...alike, row("x", "waiting", { userId: brandAs<UserId>("1A1B2C3D"), displayName: " 2a1b2c3D" })];
    const named = known.map((one, n) => ({ ...one, id: ids[n] ?? one.id }));
    const handles = everybody({ listed: [], accounts: {}, rows: named, seen: [] }).map(({ handle }) => handle);
    assert.deepEqual(handles, ["0a1b2c3d", "1a1b2c3d-1", "2a1b2c3d-1", "3a1b2c3d-1", "3a1b2c3d-2", "x-id"]);
    for (const [n, handle] of handles.entries()) assert.deepEqual(peopleMeant(named, handle, true), [named[n]], handle);
  });

  it("is said to be nobody where there is nobody", () => {
    const nobody = everybody({ listed: [], accounts: {}, rows: [], seen: [] });
    assert.match(peopleLines(nobody, "/c.yaml", now).join(), /^nobody: no owner/);
  });
});
