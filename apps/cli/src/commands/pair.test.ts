import assert from "node:assert/strict";
import { it } from "node:test";
import type { PairingRow } from "@talaria/store";
import { revokedWords } from "./pair.ts";

const row = (state: PairingRow["state"]) =>
  ({ id: "x", userId: "889", displayName: "Bob", accountId: "main", state }) as unknown as PairingRow;

it("says of somebody who only waited that there was nothing to take away", () => {
  assert.equal(revokedWords(row("approved")), 'revoked: "Bob" (889) on main');
  assert.match(revokedWords(row("waiting")), /^removed: "Bob" \(889\) on main, who only waited and had no access/);
});
