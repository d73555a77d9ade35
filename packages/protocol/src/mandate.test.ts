import assert from "node:assert/strict";
import { it } from "node:test";
import { type Asker, brandAs, type Mandate, mandateOf, rolesIn, type Sender, type UserId } from "./index.ts";

const ci: Mandate = { owner: "telegram:user:1", toolsets: ["web", "terminal"] };

function route(mandate: Mandate | undefined, sender: Partial<Sender> = {}, role: Asker["role"] = "owner"): Asker {
  const signed = { userId: brandAs<UserId>("ci"), role: "system", displayName: "ci", assurance: "signed" } as const;
  return { sender: { ...signed, ...(mandate && { mandate }), ...sender }, role };
}

it("is what every event of a turn was given, as far as they share it", () => {
  assert.deepEqual(mandateOf([route(ci)]), ci);
  assert.deepEqual(mandateOf([route(ci), route({ ...ci, toolsets: ["web"] })])?.toolsets, ["web"]);
});

it("is none without a signature, an owner's role, or where others have a word in the turn", () => {
  for (const askers of [
    [],
    [route(undefined)],
    [route(ci, { role: "person" })],
    [route(ci, { assurance: "platform" })],
    [route(ci, {}, "member")],
    [route(ci), route(undefined)],
    [route(ci), route({ ...ci, owner: "telegram:user:2" })],
  ])
    assert.equal(mandateOf(askers), undefined, JSON.stringify(askers));
});

it("is what an owner's role of a route comes from: without one it is a route like any other", () => {
  const person = { role: "person", assurance: "platform" } as const;
  for (const [askers, expected] of [
    [[route(ci)], ["owner"]],
    [[route(undefined)], ["member"]],
    [
      [route(ci), route({ ...ci, owner: "telegram:user:2" })],
      ["member", "member"],
    ],
    [
      [route(ci), route(undefined, person)],
      ["member", "owner"],
    ],
  ] as const) {
    const roles = rolesIn(askers);
    assert.deepEqual(
      roles.map(({ role }) => role),
      expected,
    );
  }
});
