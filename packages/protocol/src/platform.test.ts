import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AccountId, brandAs } from "./ids.ts";
import { type Platform, platformOf, platformSchema } from "./platform.ts";

describe("the name of a platform", () => {
  for (const name of ["telegram", "pigeon-post", "x", "matrix2", "a".repeat(32)])
    it(`may be ${name}`, () => {
      assert.equal(platformOf(name), name);
      assert.equal(platformSchema.parse(name), name);
    });

  for (const name of ["", "Telegram", "9gag", "-x", "a b", "a/b", "a:b", "a.b", "ünicode", "x\n", "a".repeat(33)])
    it(`can't be ${JSON.stringify(name)}`, () => {
      assert.equal(platformOf(name), undefined);
      assert.equal(platformSchema.safeParse(name).success, false);
    });

  it("is told from other texts by the compiler", () => {
    const text: string = "telegram";
    const names: readonly Platform[] = [
      "telegram",
      // @ts-expect-error a text of any form
      text,
      // @ts-expect-error a literal that can't be one
      "Telegram",
      // @ts-expect-error an id
      brandAs<AccountId>("telegram-main"),
    ];
    assert.equal(names.length, 4);
  });
});
