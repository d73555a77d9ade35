import assert from "node:assert/strict";
import { it } from "node:test";
import { nextThings } from "./next-things.ts";
import { hasOwnerOn } from "./tell-next.ts";

it("sends an owner to /sethome, and nobody else", () => {
  const config = {
    agent: { model: "main" },
    models: { main: { provider: "openai-chat" } },
    accounts: { "telegram-main": {} },
  } as unknown as Parameters<typeof nextThings>[0]["config"];
  const told = (hasOwner: boolean) =>
    nextThings({ config, isRunning: false, hasOwner }).filter((line) => line.includes("/sethome"));
  assert.deepEqual(told(true), ["  2. As its owner, write `/sethome` to it in private: it asks and warns you there"]);
  assert.deepEqual(told(false), []);
});

it("counts as owners of an account that was set up only its own", () => {
  const accounts = { telegram: { access: { owners: ["1"] } }, discord: { access: { owners: [] } } };
  assert.deepEqual(
    ["telegram", "discord", undefined].map((account) => hasOwnerOn(accounts, account)),
    [true, false, true],
  );
});
