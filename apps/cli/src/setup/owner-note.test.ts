import assert from "node:assert/strict";
import { it } from "node:test";
import { ownerHint } from "./owner-note.ts";

const bot = { platform: "telegram" };
const desk = { platform: "slack" };

for (const [what, accounts, owners, hint] of [
  ["nothing without accounts", {}, [], /^$/],
  ["nothing where each platform has an owner", { bot, desk }, ["slack:user:U1", "telegram:user:1"], /^$/],
  [
    "which command makes the first one",
    { bot },
    [],
    /^; nobody is an owner yet: `talaria setup telegram --account bot`$/,
  ],
  ["it with the short command", { "telegram-main": bot }, [], /`talaria setup telegram`$/],
  [
    "where a further one is added",
    { bot, desk },
    ["telegram:user:1"],
    /^; nobody is an owner on slack: owners takes the id/,
  ],
] as const)
  it(`setup says of owners: ${what}`, () => assert.match(ownerHint({ accounts, owners } as never), hint));
