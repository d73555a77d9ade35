import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PairingRow } from "@talaria/store";
import { decidedWords } from "./decided-words.ts";

describe("what an operator reads who removes somebody", () => {
  const row = (state: PairingRow["state"]) =>
    ({ id: "c0ffee00-1", userId: "10003", displayName: "Bob", accountId: "main", state }) as unknown as PairingRow;
  const facts = { isAnswered: false, inGroups: false, isListed: false };
  const bob = '"Bob" (10003) on main';

  it("is nothing more where no group is let in", () =>
    assert.equal(decidedWords("remove", row("approved"), facts), `removed: ${bob}`));

  it("names what silences them in groups, too, where one is let in", () =>
    assert.equal(
      decidedWords("remove", row("approved"), { ...facts, inGroups: true }),
      `removed: ${bob}. Groups that are let in still answer them, as they answer everybody there: \`talaria people block c0ffee00\` ends that`,
    ));

  it("says that who only waited had no access, unless the configuration lets them in", () => {
    const forgotten = `forgotten: ${bob}`;
    assert.equal(
      decidedWords("remove", row("waiting"), facts),
      `${forgotten}, who had no access. Writing again asks for a new code`,
    );
    assert.equal(decidedWords("remove", row("waiting"), { ...facts, isListed: true }), forgotten);
  });
});
