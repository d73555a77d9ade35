import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addFirstOwner, allowPerson, hasOwners } from "./add-account.ts";

const add = (text: string) => addFirstOwner(text, "config.yaml", "telegram:user:42");

describe("the first owner", () => {
  it("is written into a file without one, and the rest stays", () => {
    const text = add("# mine\nagent: { name: Hermes } # who I am\n");
    assert.match(text, /^owners:\n {2}- telegram:user:42$/m);
    assert.ok(text.includes("# mine") && text.includes("# who I am"));
    assert.ok(hasOwners(text));
  });

  it("is written into an empty file and in place of an empty list", () => {
    for (const text of ["", "owners: []\n", "owners:\n"]) assert.match(add(text), /telegram:user:42/);
  });

  for (const text of ['owners: ["telegram:user:1"]\n', "owners: telegram:user:1\n", "owners: { a: 1 }\n"])
    it(`never takes the place of ${text.trim()}`, () => assert.equal(add(text), text));
});

describe("a person who is let in", () => {
  const allow = (text: string) => allowPerson(text, "config.yaml", "main", "telegram:user:42");

  it("comes to those that are there, once", () => {
    const before = 'accounts:\n  main:\n    access: { direct: allowlist, allow: ["telegram:user:1"] } # friends\n';
    const text = allow(before);
    assert.match(text, /direct: allowlist, allow: \[ ?"telegram:user:1", telegram:user:42 ?\].*# friends/);
    assert.equal(allow(text), text);
  });

  it("is the first where there is none", () => {
    assert.match(allow("accounts: { main: { platform: telegram } }"), /access: \{ allow: \[ telegram:user:42 \] \}/);
  });
});
