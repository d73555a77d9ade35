import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { isCalled, type PersonName } from "./called.ts";
import { namedPerson, nobodyWords } from "./known-person.ts";

const zoe: PersonName = {
  ...{ accountId: brandAs("main"), userId: brandAs<UserId>("10002"), displayName: "Zoë Müller", username: "zoe_m" },
  handle: "4f1a2b3c",
};
const known = [zoe, { ...zoe, userId: brandAs<UserId>("10003"), displayName: "Olga", username: "olga_owner" }];

describe("whom an operator means", () => {
  for (const who of ["zoe muller", " ZOË MÜLLER", "@zoe_m", "Zoe_M", "main/10002", "telegram:user:10002", "4F1A2B3C"])
    it(`is known by ${who}`, () => assert.ok(isCalled(zoe, who)));

  for (const who of ["", "@", "Zoe", "main/1000", "other/10002"])
    it(`is not known by ${JSON.stringify(who)}`, () => assert.ok(!isCalled(zoe, who)));

  for (const [who, hint] of [
    ["Zoe", 'did you mean "Zoë Müller" (10002)?'],
    ["zoi muler", 'did you mean "Zoë Müller" (10002)?'],
    ["@olga_ovner", 'did you mean "Olga" (10003)?'],
    ["Friedrich", "see `talaria people`"],
    ["", "see `talaria people`"],
  ] as const)
    it(`is nobody by ${JSON.stringify(who)}`, () =>
      assert.equal(nobodyWords(who, known.map(namedPerson)), `nobody is known as ${JSON.stringify(who)}: ${hint}`));
});
