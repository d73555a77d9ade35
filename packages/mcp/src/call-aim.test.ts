import assert from "node:assert/strict";
import { it } from "node:test";
import { callAim } from "./call-aim.ts";

const targets = { pay: ["recipient"], mail: ["to", "cc"] };

it("is what the call says in the arguments that the operator names, as it stands there", () => {
  assert.deepEqual(callAim("pay", { recipient: "DE89", amount: 5 }, { targets }), { recipient: "DE89" });
  assert.deepEqual(callAim("mail", { cc: ["eve@example.org"], to: "bob@example.org" }, { targets }), {
    to: "bob@example.org",
    cc: ["eve@example.org"],
  });
  assert.deepEqual(callAim("mail", { to: "bob@example.org" }, { targets }), { to: "bob@example.org" });
});

it("is nothing where no argument is named, or the call has none of them", () => {
  for (const [name, input] of [
    ["pay", { amount: 5 }],
    ["pay", undefined],
    ["pay", Object.create({ recipient: "DE89" })],
    ["other", { recipient: "DE89" }],
    ["constructor", { name: "DE89" }],
  ] as const)
    assert.equal(callAim(name, input, { targets }), undefined, name);
  assert.equal(callAim("pay", { recipient: "DE89" }, {}), undefined);
});
